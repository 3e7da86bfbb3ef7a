import { recordId, recordKey } from '../backends/record-id';
import type { RecordKey, RecordStore } from '../backends/record-store';
import type { Clock } from '../clock';
import type { AcquireAnswer, Queued } from '../domain/answers';
import type { CounterAnswerOf, CounterCommand } from '../domain/counter-command';
import type { DecidingPolicy } from '../domain/decision';
import { isLate } from '../domain/lease-floor';
import type { AcquireCommand, AnswerOf, LockCommand } from '../domain/lock-command';
import type { BackendHealth } from '../domain/lock-row';
import type { RequestIdentity } from '../domain/request-tag';
import { BackendClock } from './backend-clock';
import { CommandIntake, type Result } from './command-intake';
import { Flusher } from './flusher';
import { KnownRecords } from './known-records';
import { Lane } from './lane';
import type { LockEngine, LockSets, SeenLock, WaitOptions } from './lock-engine';
import { Pulse } from './pulse';
import { tooLate, unknownOutcome } from './refusals';
import { startRequestClocks } from './request-clocks';
import { SetRunner } from './set-runner';
import { type Delivery, WaitingCall, WaitingRoom } from './waiting-room';
import { WaitingSets } from './waiting-sets';

export interface EngineParts {
  backend: string;
  /** The scheme of the backend's URL, for people. */
  kind: string;
  store: RecordStore;
  epoch: number;
  clock: Clock;
  /** Unlike any other process's, ever. At most 12 letters and digits. */
  processId: string;
  /** 11 characters or so, unlike any other, ever. */
  newWriter: () => string;
  /** What a namespace allows, as known at this moment. */
  policyOf: (namespace: string) => DecidingPolicy;
}

/** How often a process looks at the locks that its own callers wait for. */
const LOOK_EVERY_MS = 250;

const KNOWN_RECORDS = 20_000;

/** Builds the engine of one backend and starts it. The backend may be away: then every command says so. */
export async function createEngine(parts: EngineParts): Promise<LockEngine> {
  const engine = new GroupCommitEngine(parts);
  await engine.start();
  return engine;
}

class GroupCommitEngine implements LockEngine {
  readonly backend: string;
  readonly sets: LockSets;
  private readonly intake: CommandIntake;
  private readonly room = new WaitingRoom();
  private readonly known = new KnownRecords(KNOWN_RECORDS);
  private readonly backendClock: BackendClock;
  private readonly pulse: Pulse;
  private looking: NodeJS.Timeout | undefined;
  private isDraining = false;

  constructor(private readonly parts: EngineParts) {
    const { store, epoch, clock, processId, newWriter, policyOf } = parts;
    this.backend = parts.backend;
    this.backendClock = new BackendClock(() => clock.monotonic());
    const { known, backendClock } = this;
    const self = { id: parts.backend, kind: parts.kind };
    this.pulse = new Pulse(self, store, processId, clock, backendClock, newWriter);
    const tools = {
      store,
      epoch,
      process: processId,
      policyOf,
      monotonic: () => clock.monotonic(),
      newWriter,
      backendClock,
      pulse: this.pulse,
      room: this.room,
      known,
      withdraw: (key: RecordKey, token: number) => this.withdraw(key, token),
    };
    const flusher = new Flusher({ ...tools, resubmit: (commands) => lane.resubmit(commands) });
    const lane = new Lane((groups) => flusher.flush(groups));
    this.sets = new WaitingSets({
      runner: new SetRunner({ ...tools, lane }),
      room: this.room,
      monotonic: () => clock.monotonic(),
      isDraining: () => this.isDraining,
      lookAt: (ids) => this.lookAt(ids),
      detach: (key, command) => this.run(key, command),
    });
    this.intake = new CommandIntake({
      lane,
      monotonic: () => clock.monotonic(),
      isReachable: () => this.pulse.reachable,
      takeBack: (key, token) => this.withdraw(key, token),
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
    return this.intake.submit(key, command).then(({ answer }) => answer as AnswerOf<C>);
  }

  count<C extends CounterCommand>(
    { namespace, name }: RecordKey,
    command: C,
  ): Promise<CounterAnswerOf<C>> {
    const key: RecordKey = { namespace, name, kind: 'counter' };
    return this.intake.submit(key, command).then(({ answer }) => answer as CounterAnswerOf<C>);
  }

  async acquire(key: RecordKey, ask: AcquireCommand, wait: WaitOptions): Promise<AcquireAnswer> {
    let dueAt = this.intake.dueAt();
    for (let attempt = 1; ; attempt += 1) {
      const { answer, changed } = await this.acquireOnce(key, ask, wait, dueAt);
      if (answer.outcome !== 'granted' || !changed) return answer;
      const hasHungUp = wait.signal?.aborted || wait.hasHungUp?.() || false;
      const isUnheard = hasHungUp && !ask.request.remembered;
      if (!isUnheard && !isLate(ask.leaseMs, answer.expiresInMs)) return answer;
      if (ask.waitMs > 0) dueAt = this.intake.dueAt();
      const givenBack = this.giveBack(key, answer.token, ask.request, dueAt);
      if (isUnheard) return givenBack.then(() => answer).catch(() => answer);
      await givenBack;
      if (attempt === 2) throw tooLate(null);
    }
  }

  health(): BackendHealth {
    return this.pulse.health();
  }

  lastSeen(key: RecordKey, rev: number): SeenLock | null {
    const record = this.known.get(recordId(key))?.record;
    const now = this.backendClock.atLeast();
    const isLateEnough = now !== null && record && 'queue' in record && record.rev >= rev;
    return isLateEnough ? { record, now } : null;
  }

  async recall(requestKey: string): Promise<unknown> {
    const { memos } = await this.parts.store.read([], [requestKey]);
    return memos.find((memo) => memo.key === requestKey)?.answer ?? null;
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

  /**
   * A late grant. What could not be given back may still be held: its caller must not be told that nothing changed. It
   * may ask again by its request id and be told of this very grant, which then must not be taken away behind its back.
   */
  private async giveBack(
    key: RecordKey,
    token: number,
    request: RequestIdentity,
    dueAt: number,
  ): Promise<void> {
    const isInTime = this.parts.clock.monotonic() < dueAt;
    if (isInTime) {
      const given = this.intake.submit(key, { verb: 'withdraw', token, request }, dueAt);
      await given.catch((cause) => {
        throw tooLate(cause);
      });
    } else {
      if (!request.remembered) this.withdraw(key, token);
      throw tooLate(null);
    }
  }

  private acquireOnce(
    key: RecordKey,
    ask: AcquireCommand,
    wait: WaitOptions,
    dueAt: number,
  ): Promise<Acquired> {
    return ask.waitMs === 0 ? this.ask(key, ask, dueAt) : this.acquireInLine(key, ask, wait);
  }

  private async acquireInLine(
    key: RecordKey,
    ask: AcquireCommand,
    wait: WaitOptions,
  ): Promise<Acquired> {
    const id = recordId(key);
    const call = new WaitingCall(ask);
    this.room.enter(id, call);
    const stopClocks = startRequestClocks(call, wait);
    try {
      return await this.waitFor(key, call);
    } finally {
      stopClocks();
      this.room.leave(id, call);
    }
  }

  /** Patience runs over all calls of a request; a place that is lost is asked for again with what is left of it. */
  private async waitFor(key: RecordKey, call: WaitingCall): Promise<Acquired> {
    const { clock } = this.parts;
    let patienceEndsAt = clock.monotonic() + call.ask.waitMs;
    for (;;) {
      call.queued = false;
      const leftMs = Math.round(patienceEndsAt - clock.monotonic());
      if (leftMs <= 0) return { answer: await this.giveUp(key, call), changed: false };
      const asked = await this.ask(key, { ...call.ask, waitMs: leftMs });
      const place = asked.answer;
      if (place.outcome !== 'queued') return asked;
      call.queued = true;
      patienceEndsAt = Math.min(patienceEndsAt, clock.monotonic() + place.patienceLeftMs);
      const patience = setTimeout(() => call.wake({ why: 'patience' }), place.patienceLeftMs);
      const wake = this.isDraining ? ({ why: 'drain' } as const) : await call.next();
      clearTimeout(patience);
      if (wake.why === 'uncertain' && !call.ask.request.remembered) throw unknownOutcome(null);
      if (wake.why === 'dropped' || wake.why === 'uncertain' || wake.why === 'turn') continue;
      if (wake.why === 'granted') return delivered(wake.delivery);
      const isOver = wake.why === 'patience';
      const answer = isOver ? this.giveUp(key, call) : this.leaveLine(key, call, wake.why, place);
      const last = await answer;
      return call.delivery ? delivered(call.delivery) : { answer: last, changed: false };
    }
  }

  private giveUp(key: RecordKey, { ask: { request } }: WaitingCall): Promise<AcquireAnswer> {
    return this.run(key, { verb: 'giveUp', request });
  }

  /**
   * A request whose caller named it keeps its place for a moment when its last call ends, and for as long as another
   * call of it waits here; any other leaves the queue.
   */
  private async leaveLine(
    key: RecordKey,
    call: WaitingCall,
    why: 'requestOver' | 'hungUp' | 'drain',
    place: Queued,
  ): Promise<AcquireAnswer> {
    const { request, service, owner } = call.ask;
    const id = recordId(key);
    call.isLeaving = true;
    if (this.room.hasTwin(id, call)) return place;
    if (why !== 'hungUp' || request.remembered) return this.run(key, { verb: 'detach', request });
    this.room.leave(id, call);
    await this.run(key, { verb: 'cancel', service, owner, request }).catch(() => undefined);
    return place;
  }

  private withdraw(key: RecordKey, token: number): void {
    this.run(key, { verb: 'withdraw', token, request: null }).catch(() => undefined);
  }

  /** Looks at every lock that somebody here waits for: lapsed leases, offers, places that are gone. */
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

  private ask(key: RecordKey, ask: AcquireCommand, dueAt = this.intake.dueAt()): Promise<Acquired> {
    return this.intake.submit(key, ask, dueAt) as Promise<Acquired>;
  }
}

interface Acquired extends Result {
  answer: AcquireAnswer;
}

function delivered({ hold, rev, expiresInMs }: Delivery): Acquired {
  const { token, count, expiresAt, waitedMs } = hold;
  const granted = { outcome: 'granted', token, rev, holdCount: count } as const;
  return { answer: { ...granted, expiresAt, expiresInMs, waitedMs }, changed: true };
}
