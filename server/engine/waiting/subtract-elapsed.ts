import type { HolderView } from '../../contract/primitives';

interface TimedAnswer {
  expiresInMs?: number;
  holders?: HolderView[];
}

/**
 * The answer as of `elapsedMs` after the record was read. The time left of every lease is measured
 * from before the read, so it is never too much. Instants stay as they are.
 */
export function subtractElapsed<A>(answer: A, elapsedMs: number): A {
  const { expiresInMs, holders } = answer as TimedAnswer;
  if (expiresInMs === undefined && !holders?.length) return answer;
  const aged = { ...answer } as A & TimedAnswer;
  const left = (ms: number) => Math.max(0, Math.floor(ms - elapsedMs));
  if (expiresInMs !== undefined) aged.expiresInMs = left(expiresInMs);
  if (holders) aged.holders = holders.map((h) => ({ ...h, expiresInMs: left(h.expiresInMs) }));
  return aged;
}
