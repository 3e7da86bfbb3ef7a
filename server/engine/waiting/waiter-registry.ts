import type { HandOff } from '../../core/decision';
import type { AcquireCommand } from '../../core/lock/lock-command';
import type { Hold, LockRecord, Waiter } from '../../core/lock/lock-record';
import { requestFingerprint } from '../../core/request-fingerprint';

/** A hold that was handed to a waiting caller, and how much of its lease is surely left. */
export interface Delivery {
  hold: Hold;
  rev: number;
  expiresInMs: number;
  /** When that was so, on the monotonic clock. */
  asOf: number;
  /** Several callers of one request receive it. */
  isShared: boolean;
}

/** Why a call stops waiting. */
export type Wake =
  | { why: 'granted'; delivery: Delivery }
  /** Its place is gone, though it is still here: it has to join again. */
  | { why: 'dropped' }
  /** A set's turn has come at the lock where it waits: it has to look at all of them. */
  | { why: 'turn' }
  /** It may have been granted: the outcome is unknown. */
  | { why: 'uncertain' }
  | { why: 'patience' | 'requestOver' | 'hungUp' | 'drain' };

/** One caller on the line, waiting for one lock. */
export class WaitingCall {
  readonly fingerprint: string;
  /** Set once its place in the queue is written. */
  queued = false;
  /**
   * Set for good when its first place is written: from then on it may be granted without hearing of
   * it.
   */
  wasQueued = false;
  delivery: Delivery | null = null;
  /** Set when it may have been granted and the outcome is unknown. */
  isInDoubt = false;
  /** Set when it stops waiting for another reason than a grant. */
  isLeaving = false;
  private wakeUp: ((wake: Wake) => void) | null = null;
  private missed: Wake | null = null;

  constructor(readonly ask: AcquireCommand) {
    this.fingerprint = requestFingerprint(ask.request);
  }

  /**
   * Ends the current `next`, or the coming one. A grant is never overtaken, nor is an end by a mere
   * change.
   */
  wake(wake: Wake): void {
    if (wake.why === 'granted') this.delivery = wake.delivery;
    if (wake.why === 'uncertain') this.isInDoubt = true;
    const wakeUp = this.wakeUp;
    this.wakeUp = null;
    const isMinor = wake.why === 'turn' || wake.why === 'dropped';
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

/**
 * The callers on the line at this process, by lock. `decide` asks here whether a waiter can be
 * granted at once.
 */
export class WaiterRegistry {
  /** By lock, then by request. */
  private readonly calls = new Map<string, Map<string, readonly WaitingCall[]>>();

  add(id: string, call: WaitingCall): void {
    const requests = this.calls.get(id) ?? new Map<string, readonly WaitingCall[]>();
    this.calls.set(id, requests);
    requests.set(call.fingerprint, [...this.callsOf(id, call.fingerprint), call]);
  }

  remove(id: string, call: WaitingCall): void {
    const requests = this.calls.get(id);
    const others = this.callsOf(id, call.fingerprint).filter((other) => other !== call);
    if (others.length > 0) requests?.set(call.fingerprint, others);
    else requests?.delete(call.fingerprint);
    if (requests?.size === 0) this.calls.delete(id);
  }

  /** Whether another call of the same request stays on the line. */
  hasOtherCall(id: string, call: WaitingCall): boolean {
    return this.callsOf(id, call.fingerprint).some((other) => other !== call && !other.isLeaving);
  }

  /**
   * What this process's waiters for a lock asked for, while their callers are connected. The result
   * is of this moment: call it again after waiting for anything. Every delivery goes through a
   * queue that may be long, so the lock is looked up once.
   */
  callersOf(id: string): (waiter: Waiter) => AcquireCommand | null {
    const requests = this.calls.get(id);
    return requests ? ({ tag }) => requests.get(tag)?.[0]?.ask ?? null : noCaller;
  }

  /** Answers every caller of that request. False: no caller was connected any more. */
  deliver(
    id: string,
    { tag, hold }: HandOff,
    told: Pick<Delivery, 'rev' | 'expiresInMs' | 'asOf'>,
  ): boolean {
    const isShared = this.callsOf(id, tag).length > 1;
    return this.wake(id, tag, { why: 'granted', delivery: { hold, isShared, ...told } });
  }

  /** Wakes every call of one request. False: there was none. */
  wake(id: string, tag: string, wake: Wake): boolean {
    const calls = this.callsOf(id, tag);
    for (const call of calls) call.wake(wake);
    return calls.length > 0;
  }

  /** Wakes those whose place is not in the record any more. */
  wakeDropped(id: string, record: LockRecord): void {
    const requests = this.calls.get(id);
    if (!requests) return;
    const queued = new Set(record.queue.map((waiter) => waiter.tag));
    for (const tag of requests.keys()) {
      if (queued.has(tag)) continue;
      for (const call of this.callsOf(id, tag)) {
        if (call.queued && !call.delivery) call.wake({ why: 'dropped' });
      }
    }
  }

  /** Tells the sets that were offered this lock that it is their turn. */
  notifyOffered(id: string, { offers, queue }: LockRecord): void {
    if (offers.length === 0 || !this.calls.has(id)) return;
    const offered = new Set(offers.map(({ ticket }) => ticket));
    for (const { ticket, tag, setSize } of queue) {
      if (setSize !== undefined && offered.has(ticket)) this.wake(id, tag, { why: 'turn' });
    }
  }

  wakeAll(wake: Wake): void {
    for (const [id, requests] of this.calls) {
      for (const tag of requests.keys()) this.wake(id, tag, wake);
    }
  }

  /** Locks with waiters in this process. */
  recordIds(): string[] {
    return [...this.calls.keys()];
  }

  /** Never changed: another list takes its place. */
  private callsOf(id: string, tag: string): readonly WaitingCall[] {
    return this.calls.get(id)?.get(tag) ?? [];
  }
}
