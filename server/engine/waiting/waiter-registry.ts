import type { HandOff } from '../../core/decision';
import type { AcquireCommand } from '../../core/lock/lock-command';
import type { LockRecord, Waiter } from '../../core/lock/lock-record';
import { isOutOfPatience } from '../../core/lock/queue';
import { holdToEnterFromQueue } from '../../core/lock/re-entry';
import { type Delivery, WaitingCall, type Wake } from './waiting-call';

const noCaller = () => null;

/** The waiting callers of this process, by lock. `decide` uses it to see if one is connected. */
export class WaiterRegistry {
  /** Whether every call is answered with its place immediately, since the process is stopping. */
  isDraining = false;
  /** By lock, then by request. */
  private readonly calls = new Map<string, Map<string, readonly WaitingCall[]>>();
  /** Calls that ended without giving up their places. */
  private abandoned: WaitingCall[] = [];

  /** Registers a call for all locks that it wants, while its command is being decided. */
  add(call: WaitingCall): void {
    call.queued = false;
    for (const id of call.ids) {
      const requests = this.calls.get(id) ?? new Map<string, readonly WaitingCall[]>();
      this.calls.set(id, requests);
      const calls = this.callsOf(id, call.fingerprint);
      if (!calls.includes(call)) requests.set(call.fingerprint, [...calls, call]);
    }
  }

  /** Registers a call only for the lock in whose queue its place is recorded. */
  keepAt(id: string, call: WaitingCall): void {
    for (const other of call.ids) if (other !== id) this.removeAt(other, call);
    call.waitsAt = id;
    call.queued = true;
  }

  remove(call: WaitingCall): void {
    for (const id of call.ids) this.removeAt(id, call);
  }

  private removeAt(id: string, call: WaitingCall): void {
    const requests = this.calls.get(id);
    const others = this.callsOf(id, call.fingerprint).filter((other) => other !== call);
    if (others.length > 0) requests?.set(call.fingerprint, others);
    else requests?.delete(call.fingerprint);
    if (requests?.size === 0) this.calls.delete(id);
  }

  /**
   * Records that a call has ended but its place could not be given up: other processes would
   * consider its caller present for as long as this process is alive.
   */
  abandon(call: WaitingCall): void {
    this.abandoned.push(call);
  }

  /** `abandon` for a call that may have a place at any of the locks that it wants. */
  abandonEverywhere({ ask, ids }: WaitingCall): void {
    for (const id of ids) {
      const call = new WaitingCall(ask, ids);
      call.waitsAt = id;
      this.abandon(call);
    }
  }

  /** Removes and returns the abandoned calls, without those whose request waits here again. */
  takeAbandoned(): WaitingCall[] {
    const taken = this.abandoned.filter((call) => {
      const { waitsAt } = call;
      if (waitsAt === null) return false;
      const isLeft = this.leaveToOthers(waitsAt, call);
      // It may have been detached before its outcome was lost.
      if (isLeft) this.resumeOthers(waitsAt, call);
      return !isLeft;
    });
    this.abandoned = [];
    return taken;
  }

  /** Leaves the place of a call to others of the same request. False: none of them waits. */
  leaveToOthers(id: string, call: WaitingCall): boolean {
    const others = this.othersOf(id, call);
    // One that fails before it learns of its place then gives up this one.
    for (const other of others) other.waitsAt ??= id;
    return others.length > 0;
  }

  /**
   * Lets other calls of the same request ask again, because the detach of `call` may have been
   * decided after they got the place: a retried detach is decided after a multi-lock's acquire.
   */
  resumeOthers(id: string, call: WaitingCall): void {
    for (const other of this.othersOf(id, call)) {
      if (other.queued && !other.delivery) other.wake({ why: 'dropped' });
    }
  }

  private othersOf(id: string, call: WaitingCall): WaitingCall[] {
    return this.callsOf(id, call.fingerprint).filter((other) => other !== call && !other.isLeaving);
  }

  /**
   * The acquires of this process's waiters for a lock, while their callers are connected. The
   * function is valid only until its user awaits anything. It is called for every waiter of a
   * queue, which can be long, so the lock is looked up only once.
   */
  callersOf(id: string): (waiter: Waiter) => AcquireCommand | null {
    const requests = this.calls.get(id);
    return requests ? ({ tag }) => requests.get(tag)?.[0]?.ask ?? null : noCaller;
  }

  /** Answers every caller of that request. False: none is connected any more. */
  deliver(
    id: string,
    { tag, hold }: HandOff,
    left: Pick<Delivery, 'rev' | 'expiresInMs' | 'asOf'>,
  ): boolean {
    const receivers = { left: this.callsOf(id, tag).length };
    return this.wake(id, tag, { why: 'granted', delivery: { id, hold, receivers, ...left } });
  }

  /** Wakes every call of one request. False: there was none. */
  wake(id: string, tag: string, wake: Wake): boolean {
    const calls = this.callsOf(id, tag);
    for (const call of calls) call.wake(wake);
    return calls.length > 0;
  }

  /**
   * Wakes the calls that must ask again to be served: those whose place is no longer in the queue;
   * multi-locks that have timed out by the backend's clock, which keep their place until then; and
   * those whose place is kept only briefly, since a call of their request at another process, which
   * had taken it over, has ended; and re-entrant ones whose owner was granted the lock meanwhile.
   *
   * @param record null: there is none
   */
  wakeUnserved(id: string, record: LockRecord | null, now: number): void {
    const requests = this.calls.get(id);
    if (!requests) return;
    const { queue = [] } = record ?? {};
    const isTimedOutMultiLock = (waiter: Waiter) =>
      waiter.setSize !== undefined && isOutOfPatience(waiter, now);
    const isServed = (waiter: Waiter) =>
      waiter.detachedUntil === null && !isTimedOutMultiLock(waiter);
    const queued = new Set(queue.filter(isServed).map(({ tag }) => tag));
    for (const tag of requests.keys()) {
      const calls = this.callsOf(id, tag);
      const canEnter = record && calls[0] && holdToEnterFromQueue(record, calls[0].ask);
      if (queued.has(tag) && !canEnter) continue;
      for (const call of calls) {
        if (call.queued && !call.delivery) call.wake({ why: 'dropped' });
      }
    }
  }

  /** Wakes the multi-locks that were offered this lock. */
  notifyOffered(id: string, { offers, queue }: LockRecord): void {
    if (offers.length === 0 || !this.calls.has(id)) return;
    const offered = new Set(offers.map(({ ticket }) => ticket));
    for (const { ticket, tag, setSize } of queue) {
      if (setSize !== undefined && offered.has(ticket)) this.wake(id, tag, { why: 'turn' });
    }
  }

  /** Answers every call with its place, from now on. */
  drain(): void {
    this.isDraining = true;
    for (const [id, requests] of this.calls) {
      for (const tag of requests.keys()) this.wake(id, tag, { why: 'drain' });
    }
  }

  /** The ids of the locks with waiters in this process. */
  recordIds(): string[] {
    return [...this.calls.keys()];
  }

  /** The calls of a request for a lock. The list is never changed, only replaced. */
  private callsOf(id: string, tag: string): readonly WaitingCall[] {
    return this.calls.get(id)?.get(tag) ?? [];
  }
}
