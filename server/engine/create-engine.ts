import { type BackendLoss, backendLossRow } from '../contract/console/backend-loss';
import type { BackendHealth } from '../contract/console/lock-row';
import type { AcquireAnswer } from '../contract/lock/answers';
import type { CounterAnswerOf, CounterCommand } from '../core/counter/counter-command';
import type { DecidingPolicy } from '../core/decision';
import type { AcquireCommand, AnswerOf, LockCommand } from '../core/lock/lock-command';
import type { RequestIdentity } from '../core/request-fingerprint';
import type { Clock } from '../platform/clock';
import { Periodic } from '../platform/periodic';
import { recordId, recordKey } from '../storage/record-id';
import type { RecordKey, RecordStore } from '../storage/record-store';
import { CommandQueue } from './command-queue';
import { Batcher } from './commit/batcher';
import { Committer } from './commit/committer';
import { MultiLockCommitter } from './commit/multi-lock-committer';
import { RecordCache } from './commit/record-cache';
import { ExpiringReader } from './expiring-reader';
import type { CachedLock, LockEngine, MultiLocks, WaitOptions } from './lock-engine';
import { Membership } from './membership';
import type { NewNameObserver } from './names/name-count';
import { isReadOnly } from './pending-command';
import { StoreClock } from './store-clock';
import { WaiterRegistry } from './waiting/waiter-registry';
import { WaitingAcquires } from './waiting/waiting-acquires';
import { WaitingMultiLocks } from './waiting/waiting-multi-locks';

export interface EngineOptions {
  backend: string;
  /** The scheme of the backend's URL, for people. */
  kind: string;
  store: RecordStore;
  /**
   * Part of every token. It rises, also while the process runs, when the backend has lost its
   * memory.
   */
  epochOf: () => number;
  /** The last time that the backend lost its memory. Absent: its store cannot. */
  lossOf?: () => BackendLoss | null;
  clock: Clock;
  /** Unlike any other process's, ever. At most 12 letters and digits. */
  processId: string;
  /** 11 characters or so, unlike any other, ever. */
  newWriter: () => string;
  /**
   * Told when the backend's clock was set: by how many milliseconds at least, back where negative.
   */
  onClockStep?: (ms: number) => void;
  /** What a namespace allows, as known at this moment. */
  policyOf: (namespace: string) => DecidingPolicy;
  /** Receives every record that is created. Absent: records are not counted. */
  names?: NewNameObserver;
}

/** How often a process looks at the locks that its own callers wait for. */
const CHECK_WAITED_EVERY_MS = 250;

const CACHED_RECORDS_MAX = 20_000;

const UNCOUNTED: NewNameObserver = { creating: () => {}, finished: () => {} };

/**
 * Builds the engine of one backend and starts it. The backend may be away: then every command says
 * so.
 */
export async function createEngine(parts: EngineOptions): Promise<LockEngine> {
  const engine = new GroupCommitEngine(parts);
  await engine.start();
  return engine;
}

class GroupCommitEngine implements LockEngine {
  readonly backend: string;
  readonly multiLocks: MultiLocks;
  private readonly acquires: WaitingAcquires;
  private readonly commands: CommandQueue;
  private readonly reader: ExpiringReader;
  private readonly waiters = new WaiterRegistry();
  private readonly cache = new RecordCache(CACHED_RECORDS_MAX);
  private readonly storeClock: StoreClock;
  private readonly membership: Membership;
  private readonly checking = new Periodic({
    job: 'check locks with waiters',
    everyMs: CHECK_WAITED_EVERY_MS,
    run: () => this.checkWaitedLocks(),
  });
  private isDraining = false;

  constructor(private readonly options: EngineOptions) {
    const { store, epochOf, clock, processId, newWriter, policyOf, names = UNCOUNTED } = options;
    this.backend = options.backend;
    this.storeClock = new StoreClock(() => clock.monotonic(), options.onClockStep);
    const { cache, storeClock } = this;
    const self = { id: options.backend, kind: options.kind };
    this.membership = new Membership(self, store, processId, clock, storeClock, newWriter);
    const dependencies = {
      store,
      epochOf,
      process: processId,
      policyOf,
      names,
      monotonic: () => clock.monotonic(),
      newWriter,
      backendClock: storeClock,
      pulse: this.membership,
      room: this.waiters,
      known: cache,
      withdraw: (key: RecordKey, token: number) => this.revertGrant(key, token),
    };
    const committer = new Committer({
      ...dependencies,
      resubmit: (commands) => batcher.resubmit(commands),
    });
    const paysByRecord = () => store.costsPerRecord ?? false;
    const batcher = new Batcher((groups) => committer.commit(groups), paysByRecord);
    this.multiLocks = new WaitingMultiLocks({
      runner: new MultiLockCommitter({ ...dependencies, lane: batcher }),
      room: this.waiters,
      monotonic: () => clock.monotonic(),
      isDraining: () => this.isDraining,
      lookAt: (ids) => this.expireAndPromote(ids),
      run: (key, command) => this.run(key, command),
    });
    this.commands = new CommandQueue({
      lane: batcher,
      monotonic: () => clock.monotonic(),
      absence: () => this.membership.refusal,
      takeBack: (key, token) => this.revertGrant(key, token),
    });
    this.reader = new ExpiringReader({
      intake: this.commands,
      known: cache,
      backendClock: storeClock,
      monotonic: () => clock.monotonic(),
    });
    this.acquires = new WaitingAcquires({
      intake: this.commands,
      room: this.waiters,
      monotonic: () => clock.monotonic(),
      isDraining: () => this.isDraining,
      run: (key, command) => this.run(key, command),
      withdraw: (key, token) => this.revertGrant(key, token),
    });
  }

  async start(): Promise<void> {
    await this.membership.start();
    this.checking.start();
  }

  run<C extends Exclude<LockCommand, AcquireCommand>>(
    key: RecordKey,
    command: C,
  ): Promise<AnswerOf<C>> {
    const answer = isReadOnly(command)
      ? this.reader.read(key, command)
      : this.commands.submit(key, command).then((result) => result.answer);
    return answer as Promise<AnswerOf<C>>;
  }

  count<C extends CounterCommand>(
    { namespace, name }: RecordKey,
    command: C,
  ): Promise<CounterAnswerOf<C>> {
    const key: RecordKey = { namespace, name, kind: 'counter' };
    return this.commands.submit(key, command).then(({ answer }) => answer as CounterAnswerOf<C>);
  }

  acquire(key: RecordKey, ask: AcquireCommand, wait: WaitOptions): Promise<AcquireAnswer> {
    return this.acquires.acquire(key, ask, wait);
  }

  health(): BackendHealth {
    const loss = this.options.lossOf?.() ?? null;
    const now = this.storeClock.atLeast() ?? this.options.clock.now();
    return { ...this.membership.health(), loss: loss && backendLossRow(loss, now) };
  }

  clockAtLeast(): number | null {
    return this.storeClock.atLeast();
  }

  cachedLock(key: RecordKey, rev: number): CachedLock | null {
    const record = this.cache.get(recordId(key))?.record;
    const now = this.storeClock.atLeast();
    const isLateEnough = now !== null && record && 'queue' in record && record.rev >= rev;
    return isLateEnough ? { record, now } : null;
  }

  async rememberedAnswer({ key, inputHash }: RequestIdentity): Promise<unknown> {
    const { memos } = await this.options.store.read([], [key]);
    const memo = memos.find((one) => one.key === key && one.inputHash === inputHash);
    return memo?.answer ?? null;
  }

  async drain(): Promise<void> {
    this.isDraining = true;
    this.waiters.wakeAll({ why: 'drain' });
  }

  async close(): Promise<void> {
    await this.checking.stop();
    await this.membership.stop();
    await this.options.store.close();
  }

  private revertGrant(key: RecordKey, token: number): void {
    this.run(key, { verb: 'withdraw', token }).catch(() => undefined);
  }

  /** Checks every lock with waiters in this process: expired leases, offers, lost positions. */
  private async checkWaitedLocks(): Promise<void> {
    const ids = this.waiters.recordIds();
    if (ids.length === 0) return;
    await this.membership.refresh().catch(() => undefined);
    await this.expireAndPromote(ids);
  }

  private async expireAndPromote(ids: string[]): Promise<void> {
    const settled = ids.map((id) => this.run(recordKey(id), { verb: 'settle' }));
    await Promise.allSettled(settled);
  }
}
