import type { HolderView } from '../domain/answers';

interface Aging {
  expiresInMs?: number;
  holders?: HolderView[];
}

/**
 * An answer as it stands `elapsedMs` after the record was read: what is left of every lease is measured from before
 * the read, so it is never too much. Instants stay as they are.
 */
export function ageAnswer<A>(answer: A, elapsedMs: number): A {
  const { expiresInMs, holders } = answer as Aging;
  if (expiresInMs === undefined && !holders?.length) return answer;
  const left = (ms: number) => Math.max(0, Math.floor(ms - elapsedMs));
  return {
    ...answer,
    ...(expiresInMs === undefined ? {} : { expiresInMs: left(expiresInMs) }),
    ...(holders === undefined
      ? {}
      : { holders: holders.map((h) => ({ ...h, expiresInMs: left(h.expiresInMs) })) }),
  };
}
