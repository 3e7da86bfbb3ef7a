import type { AcquireCommand, DetachCommand } from '../../core/lock/lock-command';
import type { Hold } from '../../core/lock/lock-record';
import { requestFingerprint } from '../../core/request-fingerprint';
import type { WaitOptions } from '../lock-engine';

/** A hold that was granted to a waiting caller, and a lower bound of the rest of its lease. */
export interface Delivery {
  /** The id of its record. */
  id: string;
  hold: Hold;
  rev: number;
  expiresInMs: number;
  /** The instant to which `expiresInMs` refers, on the monotonic clock. */
  asOf: number;
  /** How many calls of its request can still receive it; one object shared by all of them. */
  receivers: { left: number };
}

const LEAVE_REASONS = ['requestOver', 'hungUp', 'refused', 'drain'] as const;

/** Why a call leaves its queue before it times out. */
export type LeaveReason = (typeof LEAVE_REASONS)[number];

export function isLeaving(why: string): why is LeaveReason {
  return (LEAVE_REASONS as readonly string[]).includes(why);
}

/** Whether the caller of a call that leaves can no longer receive a grant. */
export const isGone = (why: LeaveReason) => why === 'hungUp' || why === 'refused';

/** Why a call stops waiting. */
export type Wake =
  | { why: 'granted'; delivery: Delivery }
  /**
   * It must ask again: its place is gone or kept only briefly, though its caller is connected, or
   * it can enter a hold of its owner.
   */
  | { why: 'dropped' }
  /** A multi-lock's turn has come in the queue where it waits: it has to ask for all its locks. */
  | { why: 'turn' }
  /** It may have been granted, but the outcome is unknown. */
  | { why: 'uncertain' }
  | { why: 'patience' | LeaveReason };

/** A connected caller that waits for one lock, or for several together. */
export class WaitingCall {
  readonly fingerprint: string;
  /** When it times out, on the monotonic clock; the same for all places that it has had. */
  patienceEndsAt = Number.POSITIVE_INFINITY;
  /** Whether its place in a queue is recorded. */
  queued = false;
  /**
   * The id of the record that last contained its place; null: it never had one. If it had a place,
   * it may be granted the lock without receiving the grant.
   */
  waitsAt: string | null = null;
  delivery: Delivery | null = null;
  /** Set when it may have been granted, but the outcome is unknown. */
  isInDoubt = false;
  /** Set when it stops waiting for a reason other than a grant. */
  isLeaving = false;
  private wakeUp: ((wake: Wake) => void) | null = null;
  private missed: Wake | null = null;

  /** @param ids of the records of the locks that it wants */
  constructor(
    readonly ask: AcquireCommand,
    readonly ids: readonly string[],
  ) {
    this.fingerprint = requestFingerprint(ask.request);
  }

  /** Lets it time out at `at` or earlier, never later: timers fire early as well as late. */
  endPatience(at: number): void {
    this.patienceEndsAt = Math.min(this.patienceEndsAt, at);
  }

  /**
   * Ends the current or the following `next`. Of several reasons before it, a grant counts; without
   * one, the last that ends the wait; otherwise the first. A doubt is recorded in any case.
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

  /** The next reason to stop waiting. */
  next(): Promise<Wake> {
    const missed = this.missed;
    this.missed = null;
    if (missed) return Promise.resolve(missed);
    return new Promise((resolve) => {
      this.wakeUp = resolve;
    });
  }
}

/**
 * Ends a wait when its request has been open long enough, or its caller hangs up. Returns a
 * function that stops this. A wait that is not longer than its request ends only by its timeout.
 */
export function startRequestTimers(
  call: WaitingCall,
  waitMs: number,
  wait: WaitOptions,
): () => void {
  const endRequest = () => call.wake({ why: 'requestOver' });
  const isLonger = waitMs > wait.holdRequestMs;
  const timer = isLonger ? setTimeout(endRequest, wait.holdRequestMs) : undefined;
  const hangUp = () => call.wake({ why: wait.refused?.aborted ? 'refused' : 'hungUp' });
  wait.signal?.addEventListener('abort', hangUp, { once: true });
  if (wait.signal?.aborted) hangUp();
  return () => {
    clearTimeout(timer);
    wait.signal?.removeEventListener('abort', hangUp);
  };
}

/** Keeps the place of a call for others of its request: see `decideDetach`. */
export function detachCommand({ ask }: WaitingCall, isRefused = false): DetachCommand {
  // The lock where a multi-lock waits stores no answer: its answers differ from a single lock's.
  const remembered = ask.request.remembered && ask.set === undefined;
  return { verb: 'detach', request: { ...ask.request, remembered }, isRefused };
}
