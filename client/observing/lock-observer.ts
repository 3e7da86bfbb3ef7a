import type { EndCause, Mode, Reason } from '../wire/wire';

/** The lock of an event. There may be very many names: be careful with them as metric labels. */
export interface ObservedLock {
  namespace: string;
  name: string;
  mode: Mode;
}

/**
 * How the wait of a `withLock` call ended; `withLocks` reports one event for each of its locks.
 * `joined`: it runs under an outer hold, without a request. `timeout`: not granted in time, or
 * frozen. `abandoned`: ended by its own signal. `failed`: any other error.
 */
export interface WaitEnded extends ObservedLock {
  outcome: 'granted' | 'joined' | 'timeout' | 'abandoned' | 'failed';
  /** From the call to its grant or error, in milliseconds. */
  waitedMs: number;
}

export interface HoldRenewed extends ObservedLock {
  token: number;
  /** From sending the renewal to its answer, in milliseconds. */
  latencyMs: number;
  /** How much of the lease was certainly left when it was sent; near 0, renewals are late. */
  leftMs: number;
}

export interface HoldLost extends ObservedLock {
  token: number;
  cause: EndCause | 'unrenewed';
  /** From the arrival of the grant until the loss was noticed, in milliseconds. */
  heldMs: number;
}

export interface HoldReleased extends ObservedLock {
  token: number;
  /** `unconfirmed`: no answer; the lock may stay held until its lease ends. */
  outcome: 'released' | 'decremented' | 'unconfirmed';
  /** From the arrival of the grant to the end of the release, in milliseconds. */
  heldMs: number;
}

export interface RequestFailed {
  /** Such as `lock.acquire`. */
  procedure: string;
  /** The address that the request was for: one of the client's `url`, without a trailing slash. */
  url: string;
  reason: Reason;
  /** From sending the request to its failure, in milliseconds. */
  latencyMs: number;
}

/**
 * Hooks for metrics. Each is called synchronously, during the action that it reports, so it should
 * only count. What it throws, or rejects with, does not affect the lock, and is reported once as a
 * process warning.
 *
 * Every hold ends with exactly one `released` or `lost`.
 */
export interface LockObserver {
  waitEnded?(event: WaitEnded): void;
  renewed?(event: HoldRenewed): void;
  lost?(event: HoldLost): void;
  released?(event: HoldReleased): void;
  /** A request was refused, or got no answer; also reported if it is retried. */
  requestFailed?(event: RequestFailed): void;
}

type Events = { [K in keyof LockObserver]-?: Parameters<NonNullable<LockObserver[K]>>[0] };

const warned = new WeakSet<LockObserver>();

export function notify<K extends keyof LockObserver>(
  observer: LockObserver | undefined,
  hook: K,
  event: Events[K],
): void {
  if (!observer) return;
  const warn = (error: unknown) => {
    if (warned.has(observer)) return;
    warned.add(observer);
    process.emitWarning(`A hook of a Lockyard client failed (${hook}): ${String(error)}`);
  };
  try {
    const listen = observer[hook] as ((event: Events[K]) => unknown) | undefined;
    const answer = listen?.call(observer, event);
    if (answer instanceof Promise) answer.catch(warn);
  } catch (error) {
    warn(error);
  }
}
