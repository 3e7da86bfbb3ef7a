import type { AcquireAnswer } from '../../contract/lock/answers';
import type { AcquireManyAnswer } from '../../contract/multi-lock';
import { isLate } from '../../core/lock/hold-lifecycle';
import { waitedFor } from '../../core/lock/lock-answers';
import type { AcquireCommand } from '../../core/lock/lock-command';
import type { AcquireMultiLockCommand } from '../../core/multi-lock/multi-lock-command';
import { recordKey } from '../../storage/record-id';
import type { CommandQueue, CommandResult } from '../command-queue';
import type { EngineContext } from '../engine-context';
import type { WaitOptions } from '../lock-engine';
import { grantTooLate, isUnknown, unknownIfDenied, unknownOutcome } from '../refusals';
import { type Granted, isGranted, isQueued, type Queued } from './granted-or-queued';
import { subtractElapsed } from './subtract-elapsed';
import {
  type Delivery,
  detachCommand,
  isGone,
  isLeaving,
  type LeaveReason,
  startRequestTimers,
  type WaitingCall,
} from './waiting-call';

/** How often a call that leaves asks again for a place that was lost. */
const DETACH_ATTEMPTS_MAX = 3;

/** The result of an acquire. */
export interface Acquired<A> extends CommandResult<A> {
  /** Set if the grant was delivered to this call while it waited. */
  delivery?: Delivery;
}

/** A call that leaves its queue before it times out. */
interface Departure<T, C, A> {
  target: T;
  /** Its command, with what is left of the wait. */
  command: C;
  call: WaitingCall;
  /** Its last answer, with its place. */
  queued: Queued<A>;
  why: LeaveReason;
}

/**
 * Acquires that wait in a queue, and those that ask once; none is answered with a grant that came
 * too late. Common to single locks and multi-locks: the subclasses say which commands ask, give up
 * and revert.
 *
 * @typeParam T the target of a command: a lock, or the namespace of several
 */
export abstract class WaitingAcquires<
  T,
  C extends AcquireCommand | AcquireMultiLockCommand,
  A extends AcquireAnswer | AcquireManyAnswer,
> {
  constructor(
    protected readonly context: EngineContext,
    protected readonly commands: CommandQueue,
  ) {}

  async acquire(target: T, command: C, wait: WaitOptions): Promise<A> {
    const { remembered } = command.request;
    const patienceEndsAt = this.context.monotonic() + command.waitMs;
    for (let attempt = 1; ; attempt += 1) {
      const acquired =
        command.waitMs === 0
          ? await this.ask(target, command, this.commands.dueAt(patienceEndsAt))
          : await this.acquireInQueue(target, command, wait, patienceEndsAt);
      const { changed, delivery } = acquired;
      if (!isGranted(acquired.answer) || !changed) return acquired.answer;
      const answer = delivery ? await this.onceNoticed(acquired.answer, wait) : acquired.answer;
      const hasHungUp = wait.signal?.aborted || wait.hasHungUp?.() || false;
      if (hasHungUp && delivery && remembered) {
        delivery.receivers.left -= 1;
        if (delivery.receivers.left === 0) await this.keepBriefly(delivery.id, command, wait);
        return answer;
      }
      if (hasHungUp && !remembered) {
        await this.undoGrant(target, answer);
        return answer;
      }
      if (!isLate(command.leaseMs, this.leftMs(answer))) return answer;
      const dueAt = this.commands.dueAt(patienceEndsAt);
      const restarted = await this.restartLeases(target, command, answer, dueAt);
      if (restarted) return restarted;
      await this.revertLate(target, answer, dueAt);
      if (attempt === 2) throw grantTooLate(null);
    }
  }

  /** The call for the registry, with the ids of the records for which it can wait. */
  protected abstract callOf(target: T, command: C): WaitingCall;

  /** Asks once. `command.waitMs`: the longest wait over all calls of its request. */
  protected abstract ask(target: T, command: C, dueAt?: number): Promise<Acquired<A>>;

  /** Ends the wait of a call that timed out. */
  protected abstract giveUp(target: T, command: C, call: WaitingCall): Promise<Acquired<A>>;

  /** The id of the record in whose queue this call waits. */
  protected abstract queuedAt(target: T, answer: Queued<A>): string;

  /** Called when this call has got a place in a queue. */
  protected onQueued(_call: WaitingCall): void {}

  /** Called when this call no longer waits. */
  protected onLeft(_call: WaitingCall): void {}

  /** Leaves the queue, or undoes a grant that was made meanwhile. */
  protected abstract cancelWait(target: T, command: C): Promise<unknown>;

  /** The time left of the shortest lease of a grant, in milliseconds. */
  protected abstract leftMs(answer: Granted<A>): number;

  /** Reverts a grant that no caller received. */
  protected abstract revert(target: T, answer: Granted<A>, dueAt?: number): Promise<unknown>;

  /**
   * Restarts the leases of a late grant; null: it is to be reverted. Not if its request has an id:
   * another call with that id may have received it already.
   */
  protected abstract restartLeases(
    target: T,
    command: C,
    answer: Granted<A>,
    dueAt: number,
  ): Promise<A | null>;

  /** Waits until hang-ups are noticed; returns the grant with the rest of its lease by then. */
  private async onceNoticed(granted: Granted<A>, wait: WaitOptions) {
    const deliveredAt = this.context.monotonic();
    await wait.hangUpNoticed?.();
    return subtractElapsed(granted, this.context.monotonic() - deliveredAt);
  }

  /** Keeps a grant whose callers all hung up, but may ask again, as long as a place is kept. */
  private keepBriefly(id: string, { request }: C, { refused }: WaitOptions): Promise<void> {
    return this.commands.unreceived.keepBriefly(recordKey(id), request, refused?.aborted);
  }

  /** Reverts a grant; never rejects: if that fails, it is repeated later. */
  private undoGrant(target: T, answer: Granted<A>): Promise<void> {
    return this.commands.unreceived.undo(() => this.revert(target, answer));
  }

  /** Reverts a late grant. If that fails, it is repeated after the error was reported. */
  private async revertLate(target: T, answer: Granted<A>, dueAt: number): Promise<void> {
    const failed = (cause: unknown): never => {
      void this.undoGrant(target, answer);
      throw grantTooLate(cause);
    };
    if (this.context.monotonic() >= dueAt) failed(null);
    await this.revert(target, answer, dueAt).catch(failed);
  }

  private async acquireInQueue(
    target: T,
    command: C,
    wait: WaitOptions,
    patienceEndsAt: number,
  ): Promise<Acquired<A>> {
    const call = this.callOf(target, command);
    call.patienceEndsAt = patienceEndsAt;
    const stopTimers = startRequestTimers(call, command.waitMs, wait);
    try {
      return await this.waitFor(target, command, call, wait);
    } catch (error) {
      const { waiters } = this.context;
      // It was granted: it only failed to leave the queue, where it no longer had a place.
      if (call.delivery) return this.delivered(call.delivery);
      if (isUnknown(error)) waiters.abandonEverywhere(call);
      else if (call.waitsAt !== null) waiters.abandon(call);
      throw call.waitsAt === null ? error : unknownIfDenied(error);
    } finally {
      stopTimers();
      this.onLeft(call);
      this.context.waiters.remove(call);
    }
  }

  /**
   * Waits for a grant. All calls of a request, and all queues in which a multi-lock waits, share
   * one timeout. If the place is lost, the call asks again with the rest of the wait.
   */
  private async waitFor(
    target: T,
    command: C,
    call: WaitingCall,
    { onQueued }: WaitOptions,
  ): Promise<Acquired<A>> {
    const { context } = this;
    const { waiters } = context;
    // At least 1 ms the first time: a busy process that begins late must still ask.
    for (let leastMs = 1; ; leastMs = 0) {
      waiters.add(call);
      const leftMs = Math.max(leastMs, Math.round(call.patienceEndsAt - context.monotonic()));
      if (leftMs <= 0) return this.lastAnswer(call, await this.giveUp(target, command, call));
      const dueAt = this.commands.dueAt(call.patienceEndsAt);
      const asked = await this.ask(target, { ...command, waitMs: leftMs }, dueAt);
      const { answer } = asked;
      if (!isQueued(answer)) return this.enteredOnce(target, call, asked);
      waiters.keepAt(this.queuedAt(target, answer), call);
      onQueued?.();
      this.onQueued(call);
      call.endPatience(context.monotonic() + answer.patienceLeftMs);
      const patienceMs = Math.max(0, call.patienceEndsAt - context.monotonic());
      const patience = setTimeout(() => call.wake({ why: 'patience' }), patienceMs);
      const wake = waiters.isDraining ? ({ why: 'drain' } as const) : await call.next();
      clearTimeout(patience);
      throwIfUnknown(call);
      if (wake.why === 'granted') return this.delivered(wake.delivery);
      if (wake.why === 'patience') call.endPatience(context.monotonic());
      else if (isLeaving(wake.why)) {
        const waitMs = Math.max(1, Math.round(call.patienceEndsAt - context.monotonic()));
        const queued = { ...answer, patienceLeftMs: waitMs };
        const leaving = { target, command: { ...command, waitMs }, call, queued };
        return this.lastAnswer(call, await this.leave({ ...leaving, why: wake.why }));
      }
    }
  }

  /**
   * The answer to a call that asked. If it had been granted a hold before that was decided, a call
   * without a request id has entered its own hold by asking, which is undone.
   */
  private async enteredOnce(target: T, { delivery }: WaitingCall, asked: Acquired<A>) {
    const { answer } = asked;
    const { token, rev = 0 } = answer as { token?: number; rev?: number };
    if (!delivery || token !== delivery.hold.token || rev <= delivery.rev) return asked;
    if (isGranted(answer)) await this.undoGrant(target, answer);
    return this.delivered(delivery);
  }

  /**
   * Ends the wait of a call. A request with an id keeps its place while another call of it waits
   * here, and briefly after its last call. A request without an id leaves the queue, since no other
   * call could claim its place.
   */
  private async leave(departure: Departure<T, C, A>): Promise<Acquired<A>> {
    const { target, command, call, queued } = departure;
    call.isLeaving = true;
    if (command.request.remembered) return this.detach(departure);
    await this.cancelWait(target, command).catch(() => this.context.waiters.abandon(call));
    return { answer: queued, changed: false };
  }

  /**
   * Leaves the place to other calls of the request. If it is gone, the call asks for another, or
   * claims the grant that another process made, unless the caller can no longer receive a grant. A
   * multi-lock may get a place at another lock.
   */
  private async detach(departure: Departure<T, C, A>): Promise<Acquired<A>> {
    const { target, command, call, queued, why } = departure;
    const { waiters } = this.context;
    const detach = detachCommand(call, why === 'refused');
    let last: Acquired<A> = { answer: queued, changed: false };
    for (let attempt = 1; attempt <= DETACH_ATTEMPTS_MAX; attempt += 1) {
      const { answer } = last;
      if (!isQueued(answer)) return last;
      const id = this.queuedAt(target, answer);
      waiters.keepAt(id, call);
      if (waiters.leaveToOthers(id, call)) return last;
      const kept = await this.commands.run(recordKey(id), detach);
      waiters.resumeOthers(id, call);
      if (kept.outcome === 'queued') return { answer: { ...answer, ...kept }, changed: false };
      if (call.delivery || isGone(why)) return last;
      waiters.add(call);
      last = await this.ask(target, command);
    }
    return last;
  }

  /** The answer to a call that leaves its queue: a grant delivered meanwhile takes precedence. */
  private lastAnswer(call: WaitingCall, last: Acquired<A>): Acquired<A> {
    if (call.delivery) return this.delivered(call.delivery);
    throwIfUnknown(call);
    return last;
  }

  /** The grant with what is left of its lease now, which the call may receive late. */
  private delivered(delivery: Delivery): Acquired<A> {
    const { hold, rev, expiresInMs, asOf } = delivery;
    const { token, count, expiresAt, waitedMs } = hold;
    const leftMs = Math.floor(expiresInMs - (this.context.monotonic() - asOf));
    const granted = { outcome: 'granted', token, rev, holdCount: count } as const;
    const lease = { expiresAt, expiresInMs: leftMs, waitedMs };
    const answer: AcquireAnswer = { ...granted, ...lease, ...waitedFor(hold) };
    return { answer: answer as A, changed: true, delivery };
  }
}

/** Throws `UNKNOWN` for an uncertain request without an id, which cannot be repeated. */
function throwIfUnknown({ isInDoubt, ask }: WaitingCall): void {
  if (isInDoubt && !ask.request.remembered) throw unknownOutcome(null);
}
