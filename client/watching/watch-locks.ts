import { isRetryable } from '../errors';
import { environmentClient, type LockyardClient } from '../lockyard-client';
import { type OptionNames, refuseUnknownOptions } from '../options/refuse-unknown-options';
import { pause } from '../platform/client-clock';
import { retryDelayMs } from '../wire/retry';
import type { Holder, ListedLock, WatchAnswer } from '../wire/wire';
import { KnownStates } from './known-states';

/** One lock as it was a moment ago. */
export type WatchedLock = ListedLock;

export interface WatchLeaderOptions {
  /** Default: the client made from the environment. */
  client?: LockyardClient | undefined;
  /** Default: the client's. */
  namespace?: string | undefined;
  /** Ends the watch: the loop over it ends without an error. */
  signal?: AbortSignal | undefined;
}

/** Which locks; exactly one of `names` and `prefix`. */
export interface WatchLocksOptions extends WatchLeaderOptions {
  /** Up to 1,000 names. */
  names?: readonly string[] | undefined;
  /** All locks of the namespace with this prefix; empty: all. */
  prefix?: string | undefined;
}

const COMMON: OptionNames<WatchLeaderOptions> = { client: true, namespace: true, signal: true };
const OPTIONS: OptionNames<WatchLocksOptions> = { ...COMMON, names: true, prefix: true };

/** How long a request for changes is held open: less than the maximum, to notice silence sooner. */
const HELD_OPEN_MS = 10_000;

/** How long an answer may take beyond that. */
const ANSWER_MS = 5_000;

/** Without an answer for this long, the last known states of the locks count as unknown. */
const SILENT_MAX_MS = 5_000;

/**
 * Yields the current state of each watched lock, then its latest state after every change: not
 * every state in between, and never an older one than before. With a prefix, locks that are free at
 * the start are left out. Reconnects and resumes until `signal` aborts or the loop ends. At the
 * latest 15 s after the last answer of Lockyard every lock is `unknown`, until Lockyard answers
 * again.
 *
 * A lock seen as free may have been taken since: to hold it, acquire it. A renewal is not a change,
 * so a lock may still be held after the `expiresAt` last seen.
 *
 * Throws `LockyardError` for a refusal that a retry does not change, such as `INVALID` and
 * `UNAUTHENTICATED`; also for an answer that is not of a Lockyard, but only before the first one
 * that is.
 */
export async function* watchLocks(options: WatchLocksOptions): AsyncGenerator<WatchedLock, void> {
  refuseUnknownOptions('watchLocks', options, OPTIONS);
  const { names, signal } = options;
  const known = new KnownStates(names ? new Set(names) : null);
  known.beginPresent();
  for await (const answer of answersTo(options)) {
    for (const lock of changesIn(answer, known)) {
      if (signal?.aborted) return;
      yield lock;
    }
  }
}

/** @param answer null if there was none for too long */
function* changesIn(answer: WatchAnswer | null, known: KnownStates): Generator<WatchedLock> {
  if (answer === null) {
    yield* known.forget();
    known.beginPresent();
    return;
  }
  if (answer.reset) known.beginPresent();
  for (const lock of answer.locks) if (known.take(lock)) yield lock;
  if (!answer.more) yield* known.endPresent();
}

/** The holder of a lock that one caller holds at a time, as with `lead`. */
export type Leader = Holder;

/**
 * Yields the current holder of a lock, such as the leader that `lead` elects, then the new one
 * after every change, as `watchLocks` does; null while there is none, or it cannot be known.
 *
 * Not guaranteed: that a leader seen here still leads. Only its token can prove that to a resource.
 */
export async function* watchLeader(
  name: string,
  options: WatchLeaderOptions = {},
): AsyncGenerator<Leader | null, void> {
  refuseUnknownOptions('watchLeader', options, COMMON);
  let last: number | null | undefined;
  for await (const { state, holders } of watchLocks({ ...options, names: [name] })) {
    const holder = holders.find(({ releasedAt }) => releasedAt === undefined);
    const leader = state === 'unknown' ? null : (holder ?? null);
    const token = leader?.token ?? null;
    if (token !== last) yield leader;
    last = token;
  }
}

/**
 * Yields every answer, each requested from where the previous one ended; null: none for too long.
 */
async function* answersTo({
  client = environmentClient(),
  namespace,
  names,
  prefix,
  signal,
}: WatchLocksOptions): AsyncGenerator<WatchAnswer | null, void> {
  const { addresses, clock, chance } = client.settings;
  const locks = { namespace, names: names && [...names], prefix };
  let since: string | undefined;
  let answeredAt = clock.monotonic();
  let isSilent = false;
  for (let attempt = 0; !signal?.aborted; attempt += 1) {
    try {
      // After a failure, less time is left until the states count as unknown.
      const heldMs = isSilent ? HELD_OPEN_MS : answeredAt + HELD_OPEN_MS - clock.monotonic();
      const waitMs = Math.max(0, Math.floor(heldMs));
      const answer = await client.watch(
        { ...locks, since, waitMs },
        { signal, timeoutMs: waitMs + ANSWER_MS },
      );
      since = answer.position;
      answeredAt = clock.monotonic();
      isSilent = false;
      attempt = -1;
      yield answer;
    } catch (error) {
      if (signal?.aborted) return;
      if (!isRetryable(error, addresses.hasAnswered)) throw error;
      if (!isSilent && clock.monotonic() - answeredAt >= SILENT_MAX_MS) {
        isSilent = true;
        since = undefined;
        yield null;
      }
      const delayMs = retryDelayMs(chance, Math.max(0, attempt), error.retryAfterMs);
      await pause(clock, delayMs, signal).catch(() => {});
    }
  }
}
