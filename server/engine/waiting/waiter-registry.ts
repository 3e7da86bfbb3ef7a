import type { HandOff } from '../../core/decision';
import type { AcquireCommand } from '../../core/lock/lock-command';
import type { Hold, LockRecord, Waiter } from '../../core/lock/lock-record';
import { isOutOfPatience } from '../../core/lock/queue';
import { requestFingerprint } from '../../core/request-fingerprint';

/** A hold that was handed to a waiting caller, and how much of its lease is surely left. */
export interface Delivery {
  /** The id of its record. */
  id: string;
  hold: Hold;
  rev: number;
  expiresInMs: number;
  /** The instant for which `expiresInMs` holds, on the monotonic clock. */
  asOf: number;
  /** How many calls of its request may still receive it; one object for all of them. */
  receivers: { left: number };
}

/** Why a call leaves its queue before its patience is over. */
export type LeaveReason = 'requestOver' | 'hungUp' | 'refused' | 'drain';

/** Why a call stops waiting. */
export type Wake =
  | { why: 'granted'; delivery: Delivery }
  /** Its place is gone, though its caller is connected: it has to queue again. */
  | { why: 'dropped' }
  /** A multi-lock's turn has come at the lock where it waits: it has to ask for all of them. */
  | { why: 'turn' }
  /** It may have been granted: the outcome is unknown. */
  | { why: 'uncertain' }
  | { why: 'patience' | LeaveReason };

/** One connected caller that waits for one lock, or for several together. */
export class WaitingCall {
  readonly fingerprint: string;
  /** On the monotonic clock; the same for all the places that it has had. */
  patienceEndsAt = Number.POSITIVE_INFINITY;
  /** Whether its place in a queue is written. */
  queued = false;
  /**
   * The id of the record where its place was written last; null: it never had a place. If it had
   * one, it may be granted the lock without receiving the grant.
   */
  waitsAt: string | null = null;
  delivery: Delivery | null = null;
  /** Set when it may have been granted and the outcome is unknown. */
  isInDoubt = false;
  /** Set when it stops waiting for a reason other than a grant. */
  isLeaving = false;
  private wakeUp: ((wake: Wake) => void) | null = null;
  private missed: Wake | null = null;

  /** @param ids of the records that it wants */
  constructor(
    readonly ask: AcquireCommand,
    readonly ids: readonly string[],
  ) {
    this.fingerprint = requestFingerprint(ask.request);
  }

  /** Ends its patience at `at` or earlier, never later: timers fire early as well as late. */
  endPatience(at: number): void {
    this.patienceEndsAt = Math.min(this.patienceEndsAt, at);
  }

  /**
   * Ends the current or coming `next`. Of several reasons before it a grant counts; without one,
   * the latest that ends the wait; else the first. A doubt is noted in addition.
   */
  wake(wake: Wake): void {
    if (wake.why === 'granted') this.delivery = wake.delivery;
    if (wake.why === 'uncertain') this.isInDoubt = true;
    const wakeUp = this.wakeUp;
    this.wakeUp = null;
    const isMinor = ['turn', 'dropped', 'uncertain'].includes(wake.why);
    if (wakeUp) wakeUp(wake);
    else if (this.missed?.why !== 'granted' && !(this.missed && isMinor)) this.missed = wake;
  }

  /** The next thing that happens to this call. */
  next(): Promise<Wake> {
    const missed = this.missed;
    this.missed = null;
    if (missed) return Promise.resolve(missed);
    return new Promise((resolve) => {
      this.wakeUp = resolve;
    });
  }
}

const noCaller = () => null;

/** This process's waiting callers, by lock. `decide` asks it whether a waiter can be granted. */
export class WaiterRegistry {
  /** Whether every call is answered with its place at once, since the process ends. */
  isDraining = false;
  /** By lock, then by request. */
  private readonly calls = new Map<string, Map<string, readonly WaitingCall[]>>();
  /** Calls that ended without their places being given up. */
  private abandoned: WaitingCall[] = [];

  /** Lists a call at all the locks that it wants, for as long as its command is being decided. */
  add(call: WaitingCall): void {
    call.queued = false;
    for (const id of call.ids) {
      const requests = this.calls.get(id) ?? new Map<string, readonly WaitingCall[]>();
      this.calls.set(id, requests);
      const calls = this.callsOf(id, call.fingerprint);
      if (!calls.includes(call)) requests.set(call.fingerprint, [...calls, call]);
    }
  }

  /** Lists a call only at the lock where its place is written. */
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
   * Notes that a call has ended, and that its place could not be given up: without that, other
   * processes consider its caller present for as long as this process lives.
   */
  abandon(call: WaitingCall): void {
    this.abandoned.push(call);
  }

  /** The same for a call that may have a place at any of the locks that it wants. */
  abandonEverywhere({ ask, ids }: WaitingCall): void {
    for (const id of ids) {
      const call = new WaitingCall(ask, ids);
      call.waitsAt = id;
      this.abandon(call);
    }
  }

  /** Removes the noted calls and returns them, without those whose request waits here again. */
  takeAbandoned(): WaitingCall[] {
    const taken = this.abandoned.filter(
      (call) => call.waitsAt !== null && !this.hasOtherCall(call.waitsAt, call),
    );
    this.abandoned = [];
    return taken;
  }

  /** Whether another call of the same request still waits. */
  hasOtherCall(id: string, call: WaitingCall): boolean {
    return this.callsOf(id, call.fingerprint).some((other) => other !== call && !other.isLeaving);
  }

  /**
   * What this process's waiters for a lock asked for, while their callers are connected. The
   * result is valid only until the caller awaits anything. Every delivery goes through a queue that
   * may be long, so the lock is looked up once.
   */
  callersOf(id: string): (waiter: Waiter) => AcquireCommand | null {
    const requests = this.calls.get(id);
    return requests ? ({ tag }) => requests.get(tag)?.[0]?.ask ?? null : noCaller;
  }

  /** Answers every caller of that request. False: no caller was connected any more. */
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
   * Wakes the calls whose place is no longer in the queue, and multi-locks that have timed out by
   * the backend's clock: these are not served any more, but keep their place until they ask.
   */
  wakeDropped(id: string, queue: readonly Waiter[], now: number): void {
    const requests = this.calls.get(id);
    if (!requests) return;
    const isOver = (waiter: Waiter) => waiter.setSize !== undefined && isOutOfPatience(waiter, now);
    const queued = new Set(queue.filter((waiter) => !isOver(waiter)).map(({ tag }) => tag));
    for (const tag of requests.keys()) {
      if (queued.has(tag)) continue;
      for (const call of this.callsOf(id, tag)) {
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

  /** Locks with waiters in this process. */
  recordIds(): string[] {
    return [...this.calls.keys()];
  }

  /** The list is never changed, only replaced. */
  private callsOf(id: string, tag: string): readonly WaitingCall[] {
    return this.calls.get(id)?.get(tag) ?? [];
  }
}
