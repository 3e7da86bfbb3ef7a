import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { RunPlace } from './entry-servers';
import type { Contender, EntryParts } from './race-entry';

/** The input of the paused buyer's thread. */
export interface PausedOrder {
  entryId: string;
  place: RunPlace;
  prefix: string;
  leaseMs: number;
  patience: Pick<EntryParts, 'waitMs' | 'pollEveryMs'>;
  pauseMs: number;
}

/** The thread's reports: that the pause begins; then how the order ended. */
export type PausedReport = { kind: 'paused' } | { kind: 'ended'; outcome: string };

/** One buyer that stops between reading and writing. */
export interface PausedBuyer {
  /** Resolves when the pause begins, or when the order has ended without one. */
  paused: Promise<void>;
  /**
   * Resolves with the outcome of the order: `sold`, `sold out`, `stopped`, or an error's message.
   */
  ended: Promise<string>;
  stop(): Promise<unknown>;
}

/**
 * Starts the buyer in a thread of its own, which blocks as in a long garbage collection: timers of
 * that thread, such as a watchdog's, do not fire meanwhile.
 *
 * @param program the built `paused-thread`
 */
export function pauseInThread(program: URL, order: PausedOrder): PausedBuyer {
  const thread = new Worker(program, { workerData: order });
  let isStopped = false;
  const ended = new Promise<string>((resolve) => {
    thread.on('message', (report: PausedReport) => {
      if (report.kind === 'ended') resolve(report.outcome);
    });
    thread.once('error', (error) => resolve(error.message));
    thread.once('exit', () => resolve(isStopped ? 'stopped' : 'its thread ended'));
  });
  const paused = new Promise<void>((resolve) => {
    thread.on('message', () => resolve());
    void ended.then(() => resolve());
  });
  const stop = () => {
    isStopped = true;
    return thread.terminate();
  };
  return { paused, ended, stop };
}

/** As `pauseInThread`, for a lock that a server keeps: its caller does nothing for a while. */
export function pauseInPlace(contender: Contender, pauseMs: number): PausedBuyer {
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const stopping = new AbortController();
  const think = async () => {
    begin();
    await setTimeout(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
  };
  const ended = contender.confirm(think).then(
    (outcome) => outcome,
    (error: Error) => error.message,
  );
  return {
    paused: Promise.race([begun, ended.then(() => undefined)]),
    ended,
    stop: async () => stopping.abort(),
  };
}
