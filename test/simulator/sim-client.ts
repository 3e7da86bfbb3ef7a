import { causes } from '@/db/database-failure';
import type { CounterAddAnswer } from '@/server/contract/counter';
import { LockyardError } from '@/server/contract/errors';
import type { AcquireAnswer, ReleaseAnswer, RenewAnswer } from '@/server/contract/lock/answers';
import type { AcquireCommand } from '@/server/core/lock/lock-command';
import { type Hold, isReleased } from '@/server/core/lock/lock-record';
import { ANSWER_MAX_MS } from '@/server/core/timing';
import type { LockEngine } from '@/server/engine/lock-engine';
import { anonymousRequest, requestIdentity } from '@/server/engine/request-identity';
import type { RecordedCall } from '@/server/engine/testing/history-checker';
import type { RecordKey } from '@/server/storage/record-store';
import { acquireTwice } from './acquire-twice';
import type { AnswerChecks } from './answer-checks';
import type { CrowdedNames } from './crowded-names';
import { askAgainSoon, hangUp } from './hang-up';
import { holdMultiLockOnce } from './hold-multi-lock-once';
import { changeCapacity, wantedOf } from './sim-permits';
import { readLock } from './sim-reads';
import { reassignHold } from './sim-reassign';
import { requestRelease } from './sim-release-requests';
import type { SimOwner } from './sim-scheduler';
import type { SimWorld } from './sim-world';

/** What a caller received: an answer, a refusal, or nothing at all. */
export type Reply<T> = { answer: T } | { error: LockyardError } | 'silence';

/** A call and what its caller received. */
interface SimCall extends RecordedCall {
  /** Whether a grant may still follow, since the answer neither granted nor refused. */
  mayFollow: boolean;
}

export const SERVICE = 'orders';
const GIVE_UP_AFTER_MS = 7_000;

/** Longer minimum hold times would leave little time for anything else. */
const LEAST_MAX_MS = 700;

/** Whether a call failed by a fault of our own, which an error about the store may hide. */
function isFault(error: unknown): boolean {
  if (!(error instanceof LockyardError) || error.reason === 'INTERNAL') return true;
  return causes(error).some((cause) => cause instanceof TypeError || cause instanceof RangeError);
}

/** A program that uses the service, well and badly. It belongs to no process. */
export class SimClient {
  readonly calls: SimCall[] = [];
  private requests = 0;
  /** Locks whose last acquire has an unknown outcome. */
  readonly unsure = new Set<string>();

  constructor(
    readonly world: SimWorld,
    readonly checks: AnswerChecks,
    readonly owner: string,
  ) {}

  async run(): Promise<void> {
    const { world } = this;
    while (world.isTroubled) {
      await world.scheduler.pause(world.random() * 60);
      const key = world.keys[Math.floor(world.random() * world.keys.length)] as RecordKey;
      if (world.reads && world.reads() < 0.4) await readLock(this, key, world.reads);
      const dice = world.random();
      if (dice < 0.15) await (this.world.lossyStore ? this.holdLockOnce(key) : this.add());
      else if (dice < (world.audits ? 0.4 : 0.2)) await this.operate(key);
      else if (dice < 0.35 && world.keys.length > 1) await holdMultiLockOnce(this);
      else await this.holdLockOnce(key);
    }
    await world.audits?.operateAtEnd(this);
  }

  private async holdLockOnce(key: RecordKey): Promise<void> {
    const { random, scheduler } = this.world;
    const isLong = random() < (this.world.audits ? 0.3 : 0.1);
    const leaseMs = isLong ? this.world.longLeaseMs : 150 + Math.floor(random() * 900);
    const granted = await this.acquire(key, leaseMs);
    if (!granted) return;
    const { token } = granted;
    // The hold is abandoned until an operator ends it.
    if (isLong && this.world.audits) return;
    if (this.world.reenters && random() < 0.2) return acquireTwice(this, key, token, leaseMs);
    while (random() < this.world.renewing) {
      await scheduler.pause(random() * leaseMs * 0.7);
      if (!(await this.renew(key, token, leaseMs)) && !this.world.lossyStore) break;
    }
    await scheduler.pause(random() < 0.15 ? leaseMs * 1.3 : random() * 40);
    if (random() < 0.15) return;
    const requestId = random() < 0.5 ? this.newId() : undefined;
    await this.release(key, token, requestId);
    if (random() < 0.2) await this.release(key, token, requestId, true);
    const { leastTimes } = this.world;
    if (leastTimes && leastTimes() < 0.3) await this.renew(key, token, leaseMs);
  }

  async acquire(key: RecordKey, leaseMs: number): Promise<{ token: number } | null> {
    const { random } = this.world;
    const waitMs = random() < 0.4 ? 0 : Math.floor(random() * 2_500);
    const mode = random() < this.world.shared ? ('shared' as const) : ('exclusive' as const);
    const wanted = wantedOf(this.world, mode);
    const plain = { owner: this.owner, leaseMs, waitMs, ...wanted, reentrant: false, meta: {} };
    const asked = { ...plain, ...this.leastTime(leaseMs) };
    const requestId = random() < 0.6 ? this.newId() : undefined;
    const scope = { service: SERVICE, verb: 'acquire', namespace: key.namespace, name: key.name };
    const request =
      requestId === undefined
        ? anonymousRequest(this.world.newText)
        : requestIdentity({ ...scope, requestId, input: asked });
    const ask: AcquireCommand = { verb: 'acquire', service: SERVICE, ...asked, request };
    const holdRequestMs = random() < 0.3 ? random() * waitMs : 25_000;
    const again = () => this.ask(key, ask, holdRequestMs, requestId);
    const { crowd } = this.world;
    const leapsBefore = crowd?.leaps;
    const isDoubled = requestId !== undefined && random() < 0.15 && !crowd;
    if (isDoubled) this.unsure.add(key.name);
    const duplicate = isDoubled ? again() : null;
    let answer = await again();
    await duplicate;
    for (let tries = 0; requestId !== undefined && tries < 6; tries += 1) {
      if (answer !== null && answer.outcome !== 'queued') break;
      if (answer === null && random() < 0.3) break;
      // A caller never repeats a request 10 minutes later.
      if (crowd?.leaps !== leapsBefore) break;
      answer = await again();
    }
    if (answer?.outcome === 'queued' && requestId !== undefined) {
      const { owner } = this;
      const cancel = { verb: 'cancel', service: SERVICE, owner, request } as const;
      this.checks.cancelling(request);
      await this.call(
        (engine) => engine.run(key, cancel),
        (heard) => this.checks.cancelled([key], request.key, heard),
      );
    }
    return answer?.outcome === 'granted' ? answer : null;
  }

  /** The minimum hold time that a caller asks for, if any, in a world with such locks. */
  private leastTime(leaseMs: number): { holdAtLeastMs?: number } {
    const { leastTimes } = this.world;
    if (!leastTimes || leastTimes() < 0.3) return {};
    return { holdAtLeastMs: 1 + Math.floor(leastTimes() * Math.min(leaseMs, LEAST_MAX_MS)) };
  }

  /** Null: unknown. */
  private async ask(
    key: RecordKey,
    ask: AcquireCommand,
    holdRequestMs: number,
    requestId: string | undefined,
  ): Promise<AcquireAnswer | null> {
    const { leaseMs, waitMs } = ask;
    const call = this.record('acquire', key, null, leaseMs, requestId);
    const holds = this.checks.referee.record(key)?.holds ?? [];
    const isMine = (hold: Hold) => hold.owner === this.owner && !isReleased(hold);
    const isSure = !this.unsure.has(key.name) && !holds.some(isMine);
    const startedAt = this.world.database.instant();
    this.checks.asking(ask.request);
    this.unsure.add(key.name);
    const { hangUps, resends } = this.world;
    if (waitMs > 0 && hangUps && hangUps() < 0.3) {
      const again = () => this.ask(key, ask, holdRequestMs, requestId);
      const repeated = requestId === undefined ? null : askAgainSoon(this, ask, again, resends);
      await hangUp(this, key, ask, holdRequestMs, hangUps);
      this.conclude(call, 'silence', false, null);
      return repeated;
    }
    const reply = await this.call<AcquireAnswer>(
      (engine) => engine.acquire(key, ask, { holdRequestMs }),
      (heard) => this.checks.acquired({ key, ask, startedAt, isSure }, heard),
      waitMs,
    );
    const answer = reply !== 'silence' && 'answer' in reply ? reply.answer : null;
    const isGranted = answer?.outcome === 'granted';
    const isKnown = isGranted || (answer !== null && answer.outcome !== 'queued');
    if (isKnown && requestId === undefined && isSure) this.unsure.delete(key.name);
    call.mayFollow = answer?.outcome === 'queued' || answer?.outcome === 'ended';
    this.conclude(call, reply, isGranted, isGranted ? answer.token : null);
    if (answer === null && this.world.lossyStore) await this.world.lossyStore.pause();
    return answer;
  }

  async renew(key: RecordKey, token: number, leaseMs: number): Promise<boolean> {
    const call = this.record('renew', key, token, leaseMs);
    const command = { verb: 'renew', service: SERVICE, owner: this.owner, token, leaseMs } as const;
    const reply = await this.call<RenewAnswer>(
      (engine) => engine.run(key, command),
      (heard) => this.checks.answered(key, token, call.startedAt, heard),
    );
    const isRenewed =
      reply !== 'silence' && 'answer' in reply && reply.answer.outcome === 'renewed';
    this.conclude(call, reply, isRenewed, token);
    return isRenewed;
  }

  async release(
    key: RecordKey,
    token: number,
    requestId?: string,
    isReplay = false,
  ): Promise<ReleaseAnswer['outcome'] | null> {
    const { owner } = this;
    const call = this.record('release', key, token, 0);
    // A replay answers what was true then, whatever has happened to the lock since.
    if (isReplay && requestId !== undefined) this.calls.pop();
    const scope = { service: SERVICE, verb: 'release', namespace: key.namespace, name: key.name };
    const input = { owner, token };
    const request =
      requestId === undefined ? null : requestIdentity({ ...scope, requestId, input });
    const reply = await this.call<ReleaseAnswer>(
      (engine) => engine.run(key, { verb: 'release', service: SERVICE, owner, token, request }),
      (heard) => this.checks.answered(key, token, call.startedAt, heard),
    );
    const outcome = reply !== 'silence' && 'answer' in reply ? reply.answer.outcome : null;
    this.conclude(call, reply, outcome === 'released', token);
    return outcome;
  }

  /**
   * Adds a delta to the counter that no other client ever adds, and retries with the same id until
   * the outcome is known.
   */
  private async add(): Promise<void> {
    const { counter, random, newDelta } = this.world;
    const delta = newDelta();
    const scope = { service: SERVICE, verb: 'counter.add', namespace: 'default', name: 'stock' };
    const request = requestIdentity({ ...scope, requestId: this.newId(), input: { delta } });
    const command = { verb: 'add', delta, party: { service: SERVICE }, request } as const;
    const once = () => {
      const startedAt = this.world.database.instant();
      return this.call<CounterAddAnswer>(
        (engine) => engine.count(counter, command),
        (heard) => this.checks.added(delta, startedAt, heard),
      );
    };
    const { crowd } = this.world;
    const leapsBefore = crowd?.leaps;
    const duplicate = random() < 0.2 && !crowd ? once() : null;
    for (;;) {
      const reply = await once();
      if (crowd?.leaps !== leapsBefore) return;
      if (reply === 'silence' || 'error' in reply) {
        // A process whose writes are stuck refuses immediately, for a long time.
        if (this.world.audits) await this.world.scheduler.pause(100);
        continue;
      }
      await duplicate;
      return;
    }
  }

  /**
   * Acts as an operator who sees the lock: ends the hold, extends it, or freezes the lock for a
   * while.
   */
  private async operate(key: RecordKey): Promise<void> {
    const { random, newText, scheduler, permitRandom } = this.world;
    if (this.world.audits) return this.world.audits.operate(this, key);
    if (permitRandom && permitRandom() < 0.4) return changeCapacity(this, key, permitRandom);
    const { reassigns, releaseRequests } = this.world;
    if (reassigns && reassigns() < 0.5) return reassignHold(this, key, reassigns);
    if (releaseRequests && releaseRequests() < 0.5) {
      return requestRelease(this, key, releaseRequests);
    }
    if (this.world.crowd && random() < 0.3) return this.deleteName(this.world.crowd, key);
    const hold = this.checks.referee.record(key)?.holds[0];
    const why = { by: 'ana', reason: 'drill', request: anonymousRequest(newText) };
    const act = (run: (engine: LockEngine) => Promise<unknown>) => this.call(run, () => undefined);
    if (random() < 0.3) {
      await act((engine) => engine.run(key, { verb: 'freeze', ...why }));
      await scheduler.pause(random() * 300);
      if (this.world.crowd) await this.tryToDelete(this.world.crowd, key);
      for (;;) {
        const request = anonymousRequest(newText);
        const reply = await act((engine) => engine.run(key, { verb: 'unfreeze', ...why, request }));
        if (reply !== 'silence' && 'answer' in reply) return;
      }
    }
    if (!hold) return;
    const { token } = hold;
    await scheduler.pause(random() * 50);
    if (random() < 0.3) {
      // The call checker counts it as a renewal with an unknown outcome.
      this.record('renew', key, token, 300);
      await act((engine) => engine.run(key, { verb: 'extend', token, extendMs: 300, ...why }));
      return;
    }
    const call = this.record('force', key, token, 0);
    const reply = await this.call<{ outcome: string }>(
      (engine) => engine.run(key, { verb: 'forceRelease', token, ...why }),
      (heard) => this.checks.forced(key, token, heard),
    );
    const isForced = reply !== 'silence' && 'answer' in reply && reply.answer.outcome === 'forced';
    this.conclude(call, reply, isForced, token);
  }

  /** Deletes a lock, perhaps much later. */
  private async tryToDelete(crowd: CrowdedNames, key: RecordKey): Promise<void> {
    crowd.perhapsLeap();
    await this.world.scheduler.pause(this.world.random() * 1_000);
    await this.deleteName(crowd, key);
  }

  private async deleteName(crowd: CrowdedNames, key: RecordKey): Promise<void> {
    const deletion = this.call(
      (engine) => crowd.deleteBy(engine, key),
      () => undefined,
    );
    // Just as the lock is read or deleted.
    if (this.world.random() < 0.7) await this.holdLockOnce(key);
    await deletion;
  }

  /**
   * Sends a call to any live process and waits for its answer, for as long as a client does.
   *
   * @param check called with the answer at the instant at which the process gives it
   */
  async call<T>(
    run: (engine: LockEngine, owner: SimOwner) => Promise<T>,
    check: (heard: { answer: T } | { error: LockyardError }) => void,
    waitMs = 0,
  ): Promise<Reply<T>> {
    const { scheduler, random } = this.world;
    const process = this.world.anyProcess();
    if (!process?.engine) {
      await scheduler.pause(200);
      return 'silence';
    }
    const { engine, owner } = process;
    const calledAt = scheduler.now;
    let isAnswered = false;
    let hasGivenUp = false;
    return new Promise((resolve) => {
      const hear = (heard: { answer: T } | { error: LockyardError }) => {
        isAnswered = true;
        this.requireInTime(owner, calledAt, waitMs);
        // A process that was stopped for long may answer a call that was since repeated elsewhere.
        if (!hasGivenUp || !(this.world.audits || this.world.crowd)) check(heard);
        scheduler.after(0.1 + random() * 2, null, () => resolve(heard));
      };
      scheduler.after(0.1 + random() * 2, owner, () => {
        run(engine, owner).then(
          (answer) => hear({ answer }),
          (error) => {
            if (isFault(error)) {
              this.checks.referee.report(`a call failed: ${error?.stack ?? error}`);
            }
            hear({ error });
          },
        );
      });
      scheduler.after(GIVE_UP_AFTER_MS + waitMs, null, () => {
        hasGivenUp = true;
        if (!isAnswered) this.requireInTime(owner, calledAt, waitMs);
        resolve('silence');
      });
    });
  }

  /** Reports an answer that comes too late, unless its process was stopped or has died. */
  private requireInTime(
    { isDead, stoppedUntil }: SimOwner,
    calledAt: number,
    waitMs: number,
  ): void {
    const { scheduler, crowd } = this.world;
    const tookMs = Math.round(scheduler.now - calledAt);
    if (tookMs <= ANSWER_MAX_MS + waitMs || isDead || stoppedUntil > calledAt || crowd) return;
    this.checks.referee.report(
      `${this.owner} was answered after ${tookMs} ms, of which ${waitMs} are its wait`,
    );
  }

  record(
    verb: RecordedCall['verb'],
    key: RecordKey,
    token: number | null,
    leaseMs: number,
    requestId?: string,
  ): SimCall {
    const call: SimCall = {
      lock: key.name,
      verb,
      startedAt: this.world.database.instant(),
      endedAt: null,
      outcome: 'unknown',
      token,
      leaseMs,
      mayFollow: false,
      ...(requestId === undefined ? {} : { requestId: `${this.owner} ${key.name} ${requestId}` }),
    };
    this.calls.push(call);
    return call;
  }

  conclude<T>(call: SimCall, reply: Reply<T>, isOk: boolean, token: number | null) {
    const { trace, database } = this.world;
    call.token = token;
    if (reply !== 'silence') {
      const isUnknown = 'error' in reply && reply.error.reason === 'UNKNOWN';
      call.outcome = isOk ? 'ok' : isUnknown ? 'unknown' : 'refused';
      call.endedAt = database.instant();
    }
    trace.add(JSON.stringify([this.owner, call, reply]));
  }

  newId(): string {
    this.requests += 1;
    return `${this.owner}-${this.requests}`;
  }
}
