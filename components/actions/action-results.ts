'use client';

import { useEffect, useSyncExternalStore } from 'react';
import type { LockRow } from '@/server/contract/console/lock-row';
import type { NextHolder } from '@/server/contract/console/operator-answers';
import {
  boundText,
  countdownText,
  durationText,
  spokenDuration,
} from '@/server/core/format/durations';
import { exactCount } from '@/server/core/format/numbers';
import { visibleText } from '@/server/core/format/visible-text';
import { rangeText } from '../format/durations';
import { instantText } from '../format/instants';
import { shortToken } from '../format/numbers';
import { isOutcomeUnknown, type Problem } from '../live/problem';
import { type ActionEffect, effectSeenIn } from './results/action-effect';

/** The outcome of an action. */
export type ActionOutcome =
  | {
      kind: 'forced';
      token: number;
      next: NextHolder;
      waitersAfter: number;
      /** How long the lock is not granted afterwards. */
      delayMs: number;
      /** The lock is not held any more, and the next caller can acquire it. */
      isFree: boolean;
    }
  | { kind: 'reassigned'; token: number; next: NextHolder; waitersAfter: number }
  | {
      kind: 'asked';
      token: number;
      owner: string;
      /**
       * When the holder's next renewal is due, by the backend's clock; null if it never renewed.
       */
      dueAt: number | null;
    }
  | { kind: 'stopped'; token: number; owner: string; expiresAt: number }
  /** Starting or ending work on the lock was not saved; `isUnclear`: it may have been. */
  | { kind: 'notSaved'; why: string; isUnclear: boolean }
  | { kind: 'frozen' }
  | { kind: 'unfrozen' }
  | { kind: 'capacitySet'; capacity: number; inUse: number }
  | { kind: 'extended'; token: number; byMs: number };

export const notSaved = (problem: Problem): Extract<ActionOutcome, { kind: 'notSaved' }> => ({
  kind: 'notSaved',
  why: problem.text,
  isUnclear: isOutcomeUnknown(problem),
});

/** An outcome as it is shown beside its lock, with the effect that was seen since. */
type ActionResult = ActionOutcome & { id: number; lockId: string; effect: ActionEffect | null };

const SHOWN_MS = 30_000;

let lastId = 0;
let results: readonly ActionResult[] = [];
const listeners = new Set<() => void>();

function change(next: readonly ActionResult[]) {
  results = next;
  for (const listener of listeners) listener();
}

/** Keeps a result for 30 s; a later result of the same lock replaces it. */
export function publishResult(lockId: string, outcome: ActionOutcome): void {
  lastId += 1;
  const id = lastId;
  const others = results.filter((other) => other.lockId !== lockId);
  change([...others, { ...outcome, id, lockId, effect: null }]);
  setTimeout(() => change(results.filter((other) => other.id !== id)), SHOWN_MS);
}

/** Keeps the first effect that was seen: the next reading may show a later state of the lock. */
function keepEffect(id: number, effect: ActionEffect): void {
  change(results.map((result) => (result.id === id ? { ...result, effect } : result)));
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The result of the last action on this lock, for 30 s after it. */
export function useActionResult(lockId: string): ActionResult | null {
  return useSyncExternalStore(
    subscribe,
    () => results.find((result) => result.lockId === lockId) ?? null,
    () => null,
  );
}

/**
 * Takes the end of the lease from this reading of the lock: the holder may have renewed just before
 * its renewals were blocked.
 */
export function withLeaseOf(result: ActionResult, { hold }: Pick<LockRow, 'hold'>): ActionResult {
  const isIts = result.kind === 'stopped' && hold?.token === result.token;
  return isIts ? { ...result, expiresAt: hold.expiresAt } : result;
}

/** The result of the last action on this lock, updated with what this reading of the lock shows. */
export function useWatchedResult(row: LockRow): ActionResult | null {
  const result = useActionResult(row.id);
  const effect = result && !result.effect ? effectSeenIn(result, row) : null;
  useEffect(() => {
    if (result && effect) keepEffect(result.id, effect);
  });
  return result && withLeaseOf(effect ? { ...result, effect } : result, row);
}

/** The result in a few words, for a row. */
export function resultLabel(result: ActionResult): string {
  switch (result.kind) {
    case 'extended':
      return `extended by ${rangeText(result.byMs)}`;
    case 'capacitySet':
      return `capacity ${exactCount(result.capacity)}`;
    case 'asked':
      return result.effect ? 'request delivered' : 'asked to release';
    case 'stopped':
      return 'renewals blocked';
    case 'notSaved':
      return result.isUnclear ? 'perhaps saved' : 'not saved';
    case 'frozen':
      return 'no new grants';
    case 'forced':
    case 'reassigned':
      return releaseLabel(result);
    default:
      return result.kind;
  }
}

type Released = Extract<ActionResult, { kind: 'forced' | 'reassigned' }>;

function releaseLabel(result: Released): string {
  const { next, effect } = result;
  const owner =
    (effect?.kind === 'granted' && effect.owner) || (next.kind !== 'nobody' && next.owner);
  if (owner) return `released to ${visibleText(owner)}`;
  return result.kind === 'forced' && result.isFree ? 'released, now free' : 'released';
}

/**
 * The result in full, with the effect that was seen since.
 *
 * @param waiters how many the lock's last reading shows
 * @param now the backend's clock
 */
export function resultMessage(result: ActionResult, waiters: number, now: number): string {
  switch (result.kind) {
    case 'asked':
      return askedMessage(result, now);
    case 'stopped':
      return stoppedMessage(result, now);
    case 'notSaved': {
      const what = result.isUnclear ? 'It is not known whether this was saved.' : 'Not saved.';
      return `${what} ${result.why}`;
    }
    case 'frozen':
      return 'Frozen: no new grants.';
    case 'unfrozen':
      return 'Unfrozen.';
    case 'capacitySet':
      return `Capacity set to ${exactCount(result.capacity)}; ${exactCount(result.inUse)} in use.`;
    case 'extended':
      return `Extended token ${shortToken(result.token)} by ${rangeText(result.byMs)}.`;
    case 'forced':
    case 'reassigned':
      return releaseMessage(result, waiters);
  }
}

type ResultOf<K extends ActionResult['kind']> = Extract<ActionResult, { kind: K }>;

function askedMessage(result: ResultOf<'asked'>, now: number): string {
  const owner = visibleText(result.owner);
  const delivered = deliveredText(result, now);
  if (delivered) return `Release request delivered to ${owner} at ${delivered}.`;
  const dueMs = (result.dueAt ?? 0) - now;
  const eta = dueMs >= 1_000 ? ` (≈ ${spokenDuration(dueMs)})` : '';
  return `Release request queued; ${owner} gets it at its next renewal${eta}.`;
}

function stoppedMessage(result: ResultOf<'stopped'>, now: number): string {
  const leftMs = result.expiresAt - now;
  const end = leftMs > 0 ? `hold ends in ${countdownText(leftMs)}` : 'lease has ended';
  const delivered = deliveredText(result, now);
  const note = delivered ? `; delivered at ${delivered}` : '';
  return `Renewals blocked; ${visibleText(result.owner)}’s ${end}${note}.`;
}

/** When the request was delivered to the holder; null: not yet. */
const deliveredText = ({ effect }: ActionResult, now: number) =>
  effect?.kind === 'delivered' ? instantText(effect.at, now, undefined) : null;

function releaseMessage(result: Released, waiters: number): string {
  const { next, token, waitersAfter, effect } = result;
  const released = `Released token ${shortToken(token)}`;
  if (effect?.kind === 'granted') {
    const { owner, afterMs } = effect;
    const after =
      afterMs === null ? '' : afterMs < 1 ? ' immediately' : ` after ${durationText(afterMs)}`;
    const grant = `granted ${shortToken(effect.token)} to ${visibleText(owner)}${after}`;
    return `${released}, ${grant}; ${stillWaiting(waiters)}.`;
  }
  const left = stillWaiting(waitersAfter);
  if (next.kind === 'nobody') {
    const delayMs = result.kind === 'forced' ? result.delayMs : 0;
    if (delayMs === 0) return `${released}; ${left}.`;
    const wait = waitersAfter === 0 ? 'No waiters' : left;
    return `${released}. No grants for ${boundText(delayMs)}. ${wait}.`;
  }
  const to = visibleText(next.owner);
  if (next.token === null) return `${released}, offered to ${to}; ${left}.`;
  return `${released}, granted ${shortToken(next.token)} to ${to}; ${left}.`;
}

const stillWaiting = (count: number) =>
  count === 0 ? 'no waiters' : `${exactCount(count)} still waiting`;
