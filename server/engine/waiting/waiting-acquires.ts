import type { AcquireAnswer, Granted, Queued, RenewAnswer } from '../../contract/lock/answers';
import { isLate } from '../../core/lease-floor';
import type { AcquireCommand } from '../../core/lock/lock-command';
import { recordId } from '../../storage/record-id';
import type { RecordKey } from '../../storage/record-store';
import type { CommandQueue, CommandResult } from '../command-queue';
import type { LockEngine, WaitOptions } from '../lock-engine';
import { grantTooLate, unknownIfDenied, unknownOutcome } from '../refusals';
import { startRequestTimers } from './request-timers';
import { type Delivery, type WaiterRegistry, WaitingCall } from './waiter-registry';

export interface WaitingAcquiresDependencies {
  intake: CommandQueue;
  room: WaiterRegistry;
  monotonic: () => number;
  isDraining: () => boolean;
  run: LockEngine['run'];
  /** Gives a grant back, whenever that succeeds. */
  withdraw: (key: RecordKey, token: number) => void;
}

interface Acquired extends CommandResult {
  answer: AcquireAnswer;
  /** It was delivered to this caller alone. */
  isOwnDelivery?: boolean;
}

/**
 * Acquires that wait in their lock's queue, and those that ask once; none is answered with a grant
 * that came too late.
 */
export class WaitingAcquires {
  constructor(private readonly deps: WaitingAcquiresDependencies) {}

  async acquire(key: RecordKey, ask: AcquireCommand, wait: WaitOptions): Promise<AcquireAnswer> {
    let dueAt = this.deps.intake.dueAt();
    for (let attempt = 1; ; attempt += 1) {
      const { answer, changed, isOwnDelivery } = await this.acquireOnce(key, ask, wait, dueAt);
      if (answer.outcome !== 'granted' || !changed) return answer;
      if (isOwnDelivery) await wait.hangUpNoticed?.();
      const hasHungUp = wait.signal?.aborted || wait.hasHungUp?.() || false;
      const isUnreceived = hasHungUp && !ask.request.remembered;
      if (hasHungUp && isOwnDelivery && !isUnreceived)
        return this.keepGrantBriefly(key, ask, answer);
      if (!isUnreceived && !isLate(ask.leaseMs, answer.expiresInMs)) return answer;
      if (ask.waitMs > 0) dueAt = this.deps.intake.dueAt();
      if (ask.request.remembered) return this.restartLease(key, ask, answer, dueAt);
      const givenBack = this.revertLateGrant(key, answer.token, dueAt);
      if (isUnreceived) return givenBack.then(() => answer).catch(() => answer);
      await givenBack;
      if (attempt === 2) throw grantTooLate(null);
    }
  }

  /**
   * A grant whose caller hung up before it was told, and may ask again: it is kept for as long as a
   * place in the queue.
   */
  private async keepGrantBriefly(
    key: RecordKey,
    { request }: AcquireCommand,
    answer: Granted,
  ): Promise<AcquireAnswer> {
    const kept = this.deps.run(key, { verb: 'detach', request, hungUp: true });
    await kept.catch(() => undefined);
    return answer;
  }

  /**
   * A late grant. What could not be given back may still be held: its caller must not be told that
   * nothing changed.
   */
  private async revertLateGrant(key: RecordKey, token: number, dueAt: number): Promise<void> {
    if (this.deps.monotonic() >= dueAt) {
      this.deps.withdraw(key, token);
      throw grantTooLate(null);
    }
    const given = this.deps.intake.submit(key, { verb: 'withdraw', token }, dueAt);
    await given.catch((cause) => {
      throw grantTooLate(cause);
    });
  }

  /**
   * A late grant of a request with an id: another call with that id may have received it already,
   * so it must not be taken away. It is kept, and only its lease starts again. A re-entered hold
   * whose renewals were stopped has only the rest of its lease, and its caller receives that.
   */
  private async restartLease(
    key: RecordKey,
    { service, owner, leaseMs }: AcquireCommand,
    granted: Granted,
    dueAt: number,
  ): Promise<AcquireAnswer> {
    const { token } = granted;
    const renew = { verb: 'renew', service, owner, token, leaseMs } as const;
    const asked = this.deps.intake.submit(key, renew, dueAt).catch((cause) => {
      throw grantTooLate(cause);
    });
    const renewed = (await asked).answer as RenewAnswer;
    if (renewed.outcome === 'lost') return { outcome: 'ended', token, cause: renewed.cause };
    const { expiresAt, expiresInMs, renewalsStopped } = renewed;
    const isAllThereIs = renewalsStopped !== undefined && expiresInMs > 0;
    if (!isAllThereIs && isLate(leaseMs, expiresInMs)) throw grantTooLate(null);
    return { ...granted, expiresAt, expiresInMs };
  }

  private acquireOnce(
    key: RecordKey,
    ask: AcquireCommand,
    wait: WaitOptions,
    dueAt: number,
  ): Promise<Acquired> {
    return ask.waitMs === 0 ? this.ask(key, ask, dueAt) : this.acquireInQueue(key, ask, wait);
  }

  private async acquireInQueue(
    key: RecordKey,
    ask: AcquireCommand,
    wait: WaitOptions,
  ): Promise<Acquired> {
    const id = recordId(key);
    const call = new WaitingCall(ask);
    this.deps.room.add(id, call);
    const stopTimers = startRequestTimers(call, wait);
    try {
      return await this.waitFor(key, call, wait);
    } catch (error) {
      throw call.wasQueued ? unknownIfDenied(error) : error;
    } finally {
      stopTimers();
      this.deps.room.remove(id, call);
    }
  }

  /**
   * Patience runs over all calls of a request; a place that is lost is asked for again with what is
   * left of it.
   */
  private async waitFor(
    key: RecordKey,
    call: WaitingCall,
    { onQueued }: WaitOptions,
  ): Promise<Acquired> {
    const { monotonic } = this.deps;
    let patienceEndsAt = monotonic() + call.ask.waitMs;
    for (;;) {
      call.queued = false;
      const leftMs = Math.round(patienceEndsAt - monotonic());
      if (leftMs <= 0) return { answer: await this.giveUp(key, call), changed: false };
      const asked = await this.ask(key, { ...call.ask, waitMs: leftMs });
      const queued = asked.answer;
      if (queued.outcome !== 'queued') return asked;
      call.queued = true;
      call.wasQueued = true;
      onQueued?.();
      patienceEndsAt = Math.min(patienceEndsAt, monotonic() + queued.patienceLeftMs);
      const patience = setTimeout(() => call.wake({ why: 'patience' }), queued.patienceLeftMs);
      const wake = this.deps.isDraining() ? ({ why: 'drain' } as const) : await call.next();
      clearTimeout(patience);
      throwIfUnknown(call);
      if (wake.why === 'dropped' || wake.why === 'uncertain' || wake.why === 'turn') continue;
      if (wake.why === 'granted') return this.delivered(wake.delivery);
      const isOver = wake.why === 'patience';
      const answer = isOver ? this.giveUp(key, call) : this.leaveQueue(key, call, wake.why, queued);
      const last = await answer;
      if (call.delivery) return this.delivered(call.delivery);
      throwIfUnknown(call);
      return { answer: last, changed: false };
    }
  }

  private giveUp(key: RecordKey, { ask: { request } }: WaitingCall): Promise<AcquireAnswer> {
    return this.deps.run(key, { verb: 'giveUp', request });
  }

  /**
   * A request whose caller named it keeps its place for a moment when its last call ends, and for
   * as long as another call of it waits here; any other leaves the queue.
   */
  private async leaveQueue(
    key: RecordKey,
    call: WaitingCall,
    why: 'requestOver' | 'hungUp' | 'drain',
    place: Queued,
  ): Promise<AcquireAnswer> {
    const { request, service, owner } = call.ask;
    const id = recordId(key);
    call.isLeaving = true;
    if (this.deps.room.hasOtherCall(id, call)) return place;
    if (why !== 'hungUp' || request.remembered)
      return this.deps.run(key, { verb: 'detach', request });
    this.deps.room.remove(id, call);
    await this.deps.run(key, { verb: 'cancel', service, owner, request }).catch(() => undefined);
    return place;
  }

  /** Its caller may have been busy with leaving the queue since: the lease has run on. */
  private delivered({ hold, rev, expiresInMs, asOf, isShared }: Delivery): Acquired {
    const { token, count, expiresAt, waitedMs } = hold;
    const leftMs = Math.floor(expiresInMs - (this.deps.monotonic() - asOf));
    const granted = { outcome: 'granted', token, rev, holdCount: count } as const;
    const answer = { ...granted, expiresAt, expiresInMs: leftMs, waitedMs };
    return { answer, changed: true, isOwnDelivery: !isShared };
  }

  private ask(
    key: RecordKey,
    ask: AcquireCommand,
    dueAt = this.deps.intake.dueAt(),
  ): Promise<Acquired> {
    return this.deps.intake.submit(key, ask, dueAt) as Promise<Acquired>;
  }
}

/**
 * A request with an id can be retried for its outcome; any other can only be answered `UNKNOWN`.
 */
function throwIfUnknown({ isInDoubt, ask }: WaitingCall): void {
  if (isInDoubt && !ask.request.remembered) throw unknownOutcome(null);
}
