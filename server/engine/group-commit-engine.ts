import { type BackendHealth, backendLossRow } from '../contract/console/backend-health';
import type { AcquireAnswer } from '../contract/lock/answers';
import type { CounterAnswerOf, CounterCommand } from '../core/counter/counter-command';
import type { IdempotencyRecord } from '../core/decision';
import type { AcquireCommand, AnswerOf, LockCommand } from '../core/lock/lock-command';
import type { RequestIdentity } from '../core/request-fingerprint';
import { WAITED_LOCKS_EVERY_MS } from '../core/timing';
import { Periodic } from '../platform/periodic';
import { recordId } from '../storage/record-id';
import type { ReadRecord, RecordKey } from '../storage/record-store';
import { CommandQueue } from './command-queue';
import { rereadRecords } from './commit/reread-records';
import { EngineContext, type EngineOptions } from './engine-context';
import { ExpiringReader } from './expiring-reader';
import type { CachedLock, StoreEngine, WaitOptions } from './lock-engine';
import { isReadOnly } from './pending-command';
import { giveUpAbandoned } from './waiting/give-up-abandoned';
import { MultiLockAcquires } from './waiting/multi-lock-acquires';
import { SingleLockAcquires } from './waiting/single-lock-acquires';

/** The engine of one store. While the store does not respond, every command is refused. */
export class GroupCommitEngine implements StoreEngine {
  readonly backend: string;
  readonly multiLocks: MultiLockAcquires;
  private readonly context: EngineContext;
  private readonly commands: CommandQueue;
  private readonly reader: ExpiringReader;
  private readonly acquires: SingleLockAcquires;
  private readonly checking = new Periodic({
    job: 'check locks with waiters',
    everyMs: WAITED_LOCKS_EVERY_MS,
    run: () => this.checkWaitedLocks(),
  });

  constructor(options: EngineOptions) {
    this.backend = options.backend;
    this.context = new EngineContext(options);
    this.commands = new CommandQueue(this.context);
    this.reader = new ExpiringReader(this.context, this.commands);
    this.acquires = new SingleLockAcquires(this.context, this.commands);
    this.multiLocks = new MultiLockAcquires(this.context, this.commands);
  }

  async start(): Promise<void> {
    await this.context.membership.start();
    this.checking.start();
  }

  run<C extends Exclude<LockCommand, AcquireCommand>>(
    key: RecordKey,
    command: C,
  ): Promise<AnswerOf<C>> {
    if (!isReadOnly(command)) return this.commands.run(key, command);
    return this.reader.read(key, command);
  }

  count<C extends CounterCommand>(
    { namespace, name }: RecordKey,
    command: C,
  ): Promise<CounterAnswerOf<C>> {
    const key: RecordKey = { namespace, name, kind: 'counter' };
    return this.commands.submit(key, command).then(({ answer }) => answer);
  }

  acquire(key: RecordKey, ask: AcquireCommand, wait: WaitOptions): Promise<AcquireAnswer> {
    return this.acquires.acquire(key, ask, wait);
  }

  health(): BackendHealth {
    const { membership, storeClock, options } = this.context;
    const loss = options.lossOf?.() ?? null;
    const now = storeClock.atLeast() ?? options.clock.now();
    return { ...membership.health(), loss: loss && backendLossRow(loss, now) };
  }

  clockAtLeast(): number | null {
    return this.context.storeClock.atLeast();
  }

  cachedLock(key: RecordKey, rev: number): CachedLock | null {
    const record = this.context.cache.get(recordId(key))?.record;
    const now = this.context.storeClock.atLeast();
    const isRecentEnough = now !== null && record && 'queue' in record && record.rev >= rev;
    return isRecentEnough ? { record, now } : null;
  }

  reread(keys: RecordKey[]): Promise<ReadRecord[]> {
    return rereadRecords(this.context, keys);
  }

  expireAndPromote(keys: RecordKey[]): void {
    this.commands.expireAndPromote(keys.map(recordId));
  }

  async rememberedAnswer({ key, inputHash }: RequestIdentity, keptUntil = 0): Promise<unknown> {
    const { storedAnswers } = await this.context.store.read([], [key]);
    const isMatch = (one: IdempotencyRecord) => one.key === key && one.inputHash === inputHash;
    const storedAnswer = storedAnswers.find((one) => isMatch(one) && one.expiresAt >= keptUntil);
    return storedAnswer?.answer ?? null;
  }

  async drain(): Promise<void> {
    this.context.waiters.drain();
  }

  async close(): Promise<void> {
    await this.checking.stop();
    await this.context.membership.stop();
    await this.context.store.close();
  }

  /** Checks every lock with waiters in this process for expired leases, offers and lost places. */
  private async checkWaitedLocks(): Promise<void> {
    giveUpAbandoned(this.context, this.commands);
    this.commands.unreceived.repeatFailed();
    const { waiters, membership } = this.context;
    if (waiters.recordIds().length === 0) return;
    await membership.refresh().catch(() => undefined);
    // A lock whose callers were answered meanwhile needs no check.
    this.commands.expireAndPromote(waiters.recordIds());
  }
}
