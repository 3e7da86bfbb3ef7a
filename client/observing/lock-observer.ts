import type { EndCause, Mode, Reason } from '../wire/wire';

/** The lock of an event. There may be many names: be careful with them as labels of metrics. */
export interface ObservedLock {
  namespace: string;
  name: string;
  mode: Mode;
}

/**
 * How a call of `withLock` got its lock, or did not; for `withLocks`, one event for each of its
 * locks. `joined`: it runs under an outer hold, without a request. `timeout`: not granted in time,
 * or frozen. `abandoned`: ended by its own signal. `failed`: any other error.
 */
export interface WaitEnded extends ObservedLock {
  outcome: 'granted' | 'joined' | 'timeout' | 'abandoned' | 'failed';
  /** From the call to its grant or error, by this process's clock. */
  waitedMs: number;
}

export interface HoldRenewed extends ObservedLock {
  token: number;
  /** From sending the renewal to its answer. */
  latencyMs: number;
  /** What was certainly left of the lease when it was sent: near 0, renewals come late. */
  leftMs: number;
}

export interface HoldLost extends ObservedLock {
  token: number;
  cause: EndCause | 'unrenewed';
  /** From the arrival of the grant to the moment when the loss was noticed. */
  heldMs: number;
}

export interface HoldReleased extends ObservedLock {
  token: number;
  /** `unconfirmed`: no answer; the lock may stay taken until its lease ends. */
  outcome: 'released' | 'decremented' | 'unconfirmed';
  /** From the arrival of the grant to the end of the release. */
  heldMs: number;
}

export interface RequestFailed {
  /** Such as `lock.acquire`. */
  procedure: string;
  /** The address that was asked: one of the client's `url`, without a slash at its end. */
  url: string;
  reason: Reason;
  /** From sending the request to its failure, in milliseconds. */
  latencyMs: number;
}

/**
 * Hooks, for metrics. Each is called synchronously, within the action that it reports: it should
 * only count. What it throws, or rejects with, changes nothing for the lock; it is reported once as
 * a warning of the process.
 *
 * Every hold ends in one `released` or one `lost`.
 */
export interface LockObserver {
  waitEnded?(event: WaitEnded): void;
  renewed?(event: HoldRenewed): void;
  lost?(event: HoldLost): void;
  released?(event: HoldReleased): void;
  /** One request got no answer, or a refusal; also those that are tried again. */
  requestFailed?(event: RequestFailed): void;
}

type Events = { [K in keyof LockObserver]-?: Parameters<NonNullable<LockObserver[K]>>[0] };

const complained = new WeakSet<LockObserver>();

export function notify<K extends keyof LockObserver>(
  observer: LockObserver | undefined,
  hook: K,
  event: Events[K],
): void {
  if (!observer) return;
  const complain = (error: unknown) => {
    if (complained.has(observer)) return;
    complained.add(observer);
    process.emitWarning(`A hook of a Lockyard client failed (${hook}): ${String(error)}`);
  };
  try {
    const listen = observer[hook] as ((event: Events[K]) => unknown) | undefined;
    const answer = listen?.call(observer, event);
    if (answer instanceof Promise) answer.catch(complain);
  } catch (error) {
    complain(error);
  }
}
