import { type BackendLoss, backendLossRow } from '../contract/console/backend-loss';
import type { BackendHealth } from '../contract/console/lock-row';
import type { AcquireAnswer } from '../contract/lock/answers';
import type { CounterAnswerOf, CounterCommand } from '../core/counter/counter-command';
import type { DecidingPolicy } from '../core/decision';
import type { AcquireCommand, AnswerOf, LockCommand } from '../core/lock/lock-command';
import type { RequestIdentity } from '../core/request-fingerprint';
import type { Clock } from '../platform/clock';
import { recordId, recordKey } from '../storage/record-id';
import type { RecordKey, RecordStore } from '../storage/record-store';
import { CommandIntake } from './command-queue';
import { Lane } from './commit/batcher';
import { Flusher } from './commit/committer';
import { SetRunner } from './commit/multi-lock-committer';
import { KnownRecords } from './commit/record-cache';
import { SettledLooks } from './expiring-reader';
import type { LockEngine, LockSets, SeenLock, WaitOptions } from './lock-engine';
import { Pulse } from './membership';
import type { NewNames } from './names/name-count';
import { onlyLooks } from './pending-command';
import { BackendClock } from './store-clock';
import { WaitingRoom } from './waiting/waiter-registry';
import { WaitingAcquires } from './waiting/waiting-acquires';
import { WaitingSets } from './waiting/waiting-multi-locks';

export interface EngineParts {
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
  names?: NewNames;
}

/** How often a process looks at the locks that its own callers wait for. */
const LOOK_EVERY_MS = 250;

const KNOWN_RECORDS = 20_000;

const UNCOUNTED: NewNames = { making: () => {}, settled: () => {} };

/**
 * Builds the engine of one backend and starts it. The backend may be away: then every command says
 * so.
 */
export async function createEngine(parts: EngineParts): Promise<LockEngine> {
  const engine = new GroupCommitEngine(parts);
  await engine.start();
  return engine;
}

class GroupCommitEngine implements LockEngine {
  readonly backend: string;
  readonly sets: LockSets;
  private readonly acquires: WaitingAcquires;
  private readonly intake: CommandIntake;
  private readonly looks: SettledLooks;
  private readonly room = new WaitingRoom();
  private readonly known = new KnownRecords(KNOWN_RECORDS);
  private readonly backendClock: BackendClock;
  private readonly pulse: Pulse;
  private looking: NodeJS.Timeout | undefined;
  private isDraining = false;

  constructor(private readonly parts: EngineParts) {
    const { store, epochOf, clock, processId, newWriter, policyOf, names = UNCOUNTED } = parts;
    this.backend = parts.backend;
    this.backendClock = new BackendClock(() => clock.monotonic(), parts.onClockStep);
    const { known, backendClock } = this;
    const self = { id: parts.backend, kind: parts.kind };
    this.pulse = new Pulse(self, store, processId, clock, backendClock, newWriter);
    const tools = {
      store,
      epochOf,
      process: processId,
      policyOf,
      names,
      monotonic: () => clock.monotonic(),
      newWriter,
      backendClock,
      pulse: this.pulse,
      room: this.room,
      known,
      withdraw: (key: RecordKey, token: number) => this.withdraw(key, token),
    };
    const flusher = new Flusher({ ...tools, resubmit: (commands) => lane.resubmit(commands) });
    const paysByRecord = () => store.paysByRecord ?? false;
    const lane = new Lane((groups) => flusher.flush(groups), paysByRecord);
    this.sets = new WaitingSets({
      runner: new SetRunner({ ...tools, lane }),
      room: this.room,
      monotonic: () => clock.monotonic(),
      isDraining: () => this.isDraining,
      lookAt: (ids) => this.lookAt(ids),
      run: (key, command) => this.run(key, command),
    });
    this.intake = new CommandIntake({
      lane,
      monotonic: () => clock.monotonic(),
      absence: () => this.pulse.absence,
      takeBack: (key, token) => this.withdraw(key, token),
    });
    this.looks = new SettledLooks({
      intake: this.intake,
      known,
      backendClock,
      monotonic: () => clock.monotonic(),
    });
    this.acquires = new WaitingAcquires({
      intake: this.intake,
      room: this.room,
      monotonic: () => clock.monotonic(),
      isDraining: () => this.isDraining,
      run: (key, command) => this.run(key, command),
      withdraw: (key, token) => this.withdraw(key, token),
    });
  }

  async start(): Promise<void> {
    await this.pulse.start();
    const again = async () => {
      await this.look();
      if (this.looking) this.looking = setTimeout(again, LOOK_EVERY_MS);
      this.looking?.unref();
    };
    this.looking = setTimeout(again, LOOK_EVERY_MS);
    this.looking.unref();
  }

  run<C extends Exclude<LockCommand, AcquireCommand>>(
    key: RecordKey,
    command: C,
  ): Promise<AnswerOf<C>> {
    const answer = onlyLooks(command)
      ? this.looks.look(key, command)
      : this.intake.submit(key, command).then((result) => result.answer);
    return answer as Promise<AnswerOf<C>>;
  }

  count<C extends CounterCommand>(
    { namespace, name }: RecordKey,
    command: C,
  ): Promise<CounterAnswerOf<C>> {
    const key: RecordKey = { namespace, name, kind: 'counter' };
    return this.intake.submit(key, command).then(({ answer }) => answer as CounterAnswerOf<C>);
  }

  acquire(key: RecordKey, ask: AcquireCommand, wait: WaitOptions): Promise<AcquireAnswer> {
    return this.acquires.acquire(key, ask, wait);
  }

  health(): BackendHealth {
    const loss = this.parts.lossOf?.() ?? null;
    const now = this.backendClock.atLeast() ?? this.parts.clock.now();
    return { ...this.pulse.health(), loss: loss && backendLossRow(loss, now) };
  }

  clockAtLeast(): number | null {
    return this.backendClock.atLeast();
  }

  lastSeen(key: RecordKey, rev: number): SeenLock | null {
    const record = this.known.get(recordId(key))?.record;
    const now = this.backendClock.atLeast();
    const isLateEnough = now !== null && record && 'queue' in record && record.rev >= rev;
    return isLateEnough ? { record, now } : null;
  }

  async recall({ key, inputHash }: RequestIdentity): Promise<unknown> {
    const { memos } = await this.parts.store.read([], [key]);
    const memo = memos.find((one) => one.key === key && one.inputHash === inputHash);
    return memo?.answer ?? null;
  }

  async drain(): Promise<void> {
    this.isDraining = true;
    this.room.wakeAll({ why: 'drain' });
  }

  async close(): Promise<void> {
    clearTimeout(this.looking);
    this.looking = undefined;
    await this.pulse.stop();
    await this.parts.store.close();
  }

  private withdraw(key: RecordKey, token: number): void {
    this.run(key, { verb: 'withdraw', token }).catch(() => undefined);
  }

  /** Checks every lock with waiters in this process: expired leases, offers, lost positions. */
  private async look(): Promise<void> {
    const ids = this.room.ids();
    if (ids.length === 0) return;
    await this.pulse.look().catch(() => undefined);
    await this.lookAt(ids);
  }

  private async lookAt(ids: string[]): Promise<void> {
    const settled = ids.map((id) => this.run(recordKey(id), { verb: 'settle' }));
    await Promise.allSettled(settled);
  }
}
