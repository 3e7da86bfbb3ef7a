import { onAbort } from './on-abort';

/** Time as the client sees it: a clock that never steps, and timers on it. */
export interface ClientClock {
  /** Milliseconds since some fixed instant. */
  monotonic(): number;
  /** Calls back once, `ms` from now; the returned function cancels that. */
  after(ms: number, callback: () => void): () => void;
}

const TIMER_MAX_MS = 2 ** 31 - 1;

export const systemClock: ClientClock = {
  monotonic: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(ms, 0), TIMER_MAX_MS));
    return () => clearTimeout(timer);
  },
};

/** Resolves `ms` from now; rejects with the signal's reason if that comes first. */
export function pause(clock: ClientClock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const callOff = clock.after(ms, () => {
      stop();
      resolve();
    });
    const stop = onAbort(signal, () => {
      callOff();
      reject(signal?.reason);
    });
  });
}
