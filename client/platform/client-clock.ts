import { onAbort } from './on-abort';

/** The client's time: a clock that never jumps, and its timers. */
export interface ClientClock {
  /** Milliseconds since an arbitrary fixed instant. */
  monotonic(): number;
  /** Calls `callback` once, `ms` from now, unless the returned function is called before. */
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

/** Resolves `ms` from now; rejects with the signal's reason if it aborts first. */
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
