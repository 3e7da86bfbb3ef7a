import { type Party, partyKey } from '../party';

/** The refused attempts of one or more owners to acquire a lock. Instants: epoch milliseconds. */
export interface RefusalSpan {
  attempts: number;
  /** The hold during which the last of them was refused; 0 if none was known. */
  token: number;
  /** When the first of them was refused during that hold. */
  firstAt: number;
  lastAt: number;
}

export interface RefusedOwner extends RefusalSpan, Party {}

/** Attempts to acquire one lock that were answered `held` or `queueFull`. */
export interface RefusalCounts {
  all: RefusalSpan;
  /** The most frequent owners, at most 20, the most frequent first. */
  owners: RefusedOwner[];
  /** All other owners together; null: there are none. */
  others: RefusalSpan | null;
}

/** How many owners are named. */
export const NAMED_OWNERS_MAX = 20;

/** The sum of two spans. The hold with the higher token is the later one. */
export function addSpans(one: RefusalSpan, other: RefusalSpan): RefusalSpan {
  const [later, earlier] = one.token >= other.token ? [one, other] : [other, one];
  const isSameHold = later.token === earlier.token;
  return {
    attempts: one.attempts + other.attempts,
    token: later.token,
    firstAt: isSameHold ? Math.min(one.firstAt, other.firstAt) : later.firstAt,
    lastAt: Math.max(one.lastAt, other.lastAt),
  };
}

/**
 * Adds the counts of two processes or of two minutes. Counts of an owner named in both are added;
 * then all but the 20 most frequent owners are added to the others.
 */
export function addRefusals(one: RefusalCounts, other: RefusalCounts): RefusalCounts {
  const byOwner = new Map(one.owners.map((owner) => [partyKey(owner), owner]));
  for (const owner of other.owners) {
    const key = partyKey(owner);
    const known = byOwner.get(key);
    byOwner.set(key, known ? { ...known, ...addSpans(known, owner) } : owner);
  }
  const ranked = [...byOwner.values()].sort(byAttempts);
  const rest = [...ranked.slice(NAMED_OWNERS_MAX), one.others, other.others];
  return {
    all: addSpans(one.all, other.all),
    owners: ranked.slice(0, NAMED_OWNERS_MAX),
    others: addAllSpans(rest),
  };
}

/**
 * The counts as of a past instant; null: nothing was counted by then. The number of attempts is an
 * estimate that assumes they were evenly spread.
 */
export function refusalsUntil(counts: RefusalCounts, at: number): RefusalCounts | null {
  const all = spanUntil(counts.all, at);
  if (!all) return null;
  const owners = counts.owners.flatMap((owner) => {
    const span = spanUntil(owner, at);
    return span ? [{ ...owner, ...span }] : [];
  });
  return { all, owners, others: counts.others && spanUntil(counts.others, at) };
}

function spanUntil(span: RefusalSpan, at: number): RefusalSpan | null {
  const { attempts, token, firstAt, lastAt } = span;
  if (firstAt > at) return null;
  if (lastAt <= at) return { attempts, token, firstAt, lastAt };
  const share = (at - firstAt) / (lastAt - firstAt);
  return { attempts: 1 + Math.floor((attempts - 1) * share), token, firstAt, lastAt: at };
}

/** The sum of these spans; null if all of them are null. */
function addAllSpans(spans: readonly (RefusalSpan | null)[]): RefusalSpan | null {
  let sum: RefusalSpan | null = null;
  for (const span of spans) {
    if (!span) continue;
    const { attempts, token, firstAt, lastAt } = span;
    sum = sum ? addSpans(sum, span) : { attempts, token, firstAt, lastAt };
  }
  return sum;
}

/** Compares owners: the most frequent first; of equally frequent ones, the one refused last. */
export function byAttempts(one: RefusalSpan, other: RefusalSpan): number {
  return other.attempts - one.attempts || other.lastAt - one.lastAt;
}
