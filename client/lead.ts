import { isRetryable, LockLost, LockyardError, ReleaseUnconfirmed } from './errors';
import type { Hold } from './holding/lock-hold';
import { environmentClient, type LockyardClient } from './lockyard-client';
import { type OptionNames, refuseUnknownOptions } from './options/refuse-unknown-options';
import { pause } from './platform/client-clock';
import { LOCK_OPTIONS, type WithLockOptions, withLock } from './with-lock';

/** A leader's term: its hold, and a way to resign. */
export interface Term extends Hold {
  /** Ends this term and releases the lock; a second later this caller is a candidate again. */
  resign(): void;
}

/** Why a term ended: the loss of the lock; null for `resign` or the caller's signal. */
export type TermEnd = LockLost | null;

export interface LeadOptions
  extends Omit<
    WithLockOptions,
    'waitMs' | 'mode' | 'permits' | 'capacity' | 'reentrant' | 'ownHold'
  > {
  /**
   * Called at the start of each term. Returning does not end the term: it lasts until the hold is
   * lost, `term.resign()` is called or the caller's signal aborts. A promise that it returns is
   * awaited before the next term. `term.signal` aborts when the hold is lost, or with the caller's
   * signal.
   */
  onElected: (term: Term) => unknown;
  /** Called once for each term, as soon as it ends and before the lock is released. */
  onLost?: ((why: TermEnd) => unknown) | undefined;
}

const { waitMs: _w, mode: _m, permits: _p, capacity: _c, ...ALONE } = LOCK_OPTIONS;
const { reentrant: _r, ownHold: _o, ...COMMON } = ALONE;
const OPTIONS: OptionNames<LeadOptions> = { ...COMMON, onElected: true, onLost: true };

/** The pause before this caller is a candidate again after it resigned, or was refused. */
const REST_MS = 1_000;
const REFUSED_REST_MS = 5_000;

/**
 * Keeps one leader elected among all callers with the same `name`: waits for the lock without
 * limit, calls `onElected`, holds the lock until the term ends, calls `onLost`, and is a candidate
 * again. Operators see the role `leader` in the `meta` of the hold.
 *
 * Never gives up: it retries after outages, lost holds and refusals that others can end, such as
 * that of a key or an unknown namespace; each reason for these is reported once as a process
 * warning. Resolves once `signal` has aborted and the lock is released. Rejects only with what
 * `onElected` throws during its term or `onLost` throws, and with refusals that the program itself
 * causes, such as `INVALID`; also where something else answers in place of Lockyard, but only
 * before Lockyard's first answer.
 *
 * Not guaranteed: that a former leader notices before the next is elected. As with `withLock`, only
 * a resource that compares `term.token` can refuse a late write.
 */
export async function lead(name: string, options: LeadOptions): Promise<void> {
  refuseUnknownOptions('lead', options, OPTIONS);
  refuseMissingCallback(options);
  const { signal } = options;
  const client = options.client ?? environmentClient();
  const onRefused = warningOnce(name);
  while (!signal?.aborted) {
    const restMs = await candidacy(name, { ...options, client }, onRefused);
    if (restMs > 0) await pause(client.settings.clock, restMs, signal).catch(() => {});
  }
}

function refuseMissingCallback({ onElected, onLost }: LeadOptions): void {
  if (typeof onElected === 'function' && (onLost === undefined || typeof onLost === 'function')) {
    return;
  }
  throw new LockyardError('INVALID', 'lead needs `onElected`; it and `onLost` must be functions.');
}

type OnRefused = (refusal: LockyardError) => void;

/** Reports the first refusal with each reason as a process warning. */
function warningOnce(name: string): OnRefused {
  const warned = new Set<string>();
  return ({ reason, message }) => {
    if (warned.has(reason)) return;
    warned.add(reason);
    process.emitWarning(`lead("${name}") is refused, and keeps trying: ${reason}, ${message}`);
  };
}

/** One wait and, if elected, one term. Resolves to the pause before the next, in milliseconds. */
async function candidacy(
  name: string,
  options: LeadOptions & { client: LockyardClient },
  onRefused: OnRefused,
): Promise<number> {
  const { onElected, onLost, ...common } = options;
  const meta = { ...options.meta, role: 'leader' };
  const lock = { ...common, meta, waitMs: Number.POSITIVE_INFINITY, ownHold: true };
  try {
    await withLock(name, lock, (hold) => serveTerm(hold, { onElected, onLost }));
    return REST_MS;
  } catch (error) {
    return restAfter(error, options, onRefused);
  }
}

/** Ends with the term and the callbacks. Rejects with `CallbackFailure` if one of them failed. */
async function serveTerm(
  hold: Hold,
  { onElected, onLost }: Pick<LeadOptions, 'onElected' | 'onLost'>,
): Promise<void> {
  const resigned = new AbortController();
  const termEnded = AbortSignal.any([hold.signal, resigned.signal]);
  const failures: CallbackFailure[] = [];
  const term = Object.assign(hold, { resign: () => resigned.abort() });
  const work = attempt(() => onElected(term)).catch((error: CallbackFailure) => {
    // Work that was interrupted by the end of its term may reject.
    if (!termEnded.aborted) failures.push(error);
    resigned.abort();
  });
  await aborted(termEnded);
  const { reason } = hold.signal;
  await attempt(() => onLost?.(reason instanceof LockLost ? reason : null)).catch(
    (error: CallbackFailure) => failures.push(error),
  );
  await work;
  if (failures[0]) throw failures[0];
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Marks what a callback threw, as opposed to failures of the lock, which are retried. */
class CallbackFailure extends Error {
  constructor(readonly thrown: unknown) {
    super('A callback of lead failed.');
  }
}

async function attempt(callback: () => unknown): Promise<void> {
  try {
    await callback();
  } catch (error) {
    throw new CallbackFailure(error);
  }
}

/** How long to pause after a failure that may pass, in milliseconds; throws any other. */
function restAfter(
  error: unknown,
  { client, signal }: { client: LockyardClient; signal?: AbortSignal | undefined },
  onRefused: OnRefused,
): number {
  const callback = error instanceof LockLost ? error.cause : error;
  if (callback instanceof CallbackFailure) throw callback.thrown;
  if (signal?.aborted && error === signal.reason) return 0;
  if (error instanceof LockLost) return 0;
  if (error instanceof ReleaseUnconfirmed) return REST_MS;
  if (isRetryable(error, client.settings.addresses.hasAnswered)) return REFUSED_REST_MS;
  const isLasting = !(error instanceof LockyardError) || OWN_FAULTS.has(error.reason);
  if (isLasting || error.isForeign) throw error;
  onRefused(error);
  return REFUSED_REST_MS;
}

/** The same call would be refused for ever; a key or a namespace can be corrected meanwhile. */
const OWN_FAULTS: ReadonlySet<string> = new Set(['INVALID', 'UNSUPPORTED', 'TOO_LARGE']);
