'use client';

import { useSyncExternalStore } from 'react';
import type { HoldRow } from '@/server/contract/console/lock-row';
import type { NextHolder } from '@/server/contract/console/operator-answers';
import { boundText, countdownText, rangeText, spokenDuration } from '../format/durations';
import { exactCount, shortToken } from '../format/numbers';
import { visibleText } from '../format/visible-name';

/** What came of an action. */
export type ActionOutcome =
  | {
      kind: 'forced';
      token: number;
      next: NextHolder;
      waitersBefore: number;
      waitersAfter: number;
      /** How long the lock is not granted after this. */
      delayMs: number;
    }
  | {
      kind: 'asked';
      owner: string;
      /**
       * When the holder's next renewal is due, by the backend's clock; null if it never renewed.
       */
      dueAt: number | null;
    }
  | { kind: 'stopped'; owner: string; expiresAt: number }
  | { kind: 'frozen' }
  | { kind: 'unfrozen' }
  | { kind: 'capacitySet'; capacity: number; inUse: number }
  | { kind: 'extended'; token: number; byMs: number };

/** It is shown for a while where the lock is shown. */
type ActionResult = ActionOutcome & { lockId: string };

const SHOWN_MS = 30_000;

let results: readonly ActionResult[] = [];
const listeners = new Set<() => void>();

function change(next: readonly ActionResult[]) {
  results = next;
  for (const listener of listeners) listener();
}

/** Keeps a result for 30 s; a later one of the same lock takes its place. */
export function publishResult(lockId: string, outcome: ActionOutcome): void {
  const result = { ...outcome, lockId };
  change([...results.filter((other) => other.lockId !== lockId), result]);
  setTimeout(() => change(results.filter((other) => other !== result)), SHOWN_MS);
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The result of the last act on this lock, for 30 s after it. */
export function useActionResult(lockId: string): ActionResult | null {
  return useSyncExternalStore(
    subscribe,
    () => results.find((result) => result.lockId === lockId) ?? null,
    () => null,
  );
}

/** The result in a few words, for a row. */
export function resultLabel(result: ActionResult): string {
  switch (result.kind) {
    case 'extended':
      return `extended by ${rangeText(result.byMs)}`;
    case 'capacitySet':
      return `capacity ${exactCount(result.capacity)}`;
    case 'asked':
      return 'release requested';
    case 'stopped':
      return 'renewals blocked';
    case 'forced':
      return releaseLabel(result);
    default:
      return result.kind;
  }
}

function releaseLabel(result: Extract<ActionResult, { kind: 'forced' }>): string {
  if (result.next.kind === 'nobody' && result.waitersAfter > 0) return 'released';
  return result.next.kind === 'nobody'
    ? 'released, now free'
    : `released to ${visibleText(result.next.owner)}`;
}

/**
 * The result in full. An offer is shown as a grant once its recipient is seen to hold the lock.
 *
 * @param hold what the lock's last reading shows
 * @param now the backend's clock
 */
export function resultMessage(result: ActionResult, hold: HoldRow | null, now: number): string {
  if (result.kind === 'asked') {
    const dueMs = (result.dueAt ?? 0) - now;
    const eta = dueMs >= 1_000 ? ` (≈ ${spokenDuration(dueMs)})` : '';
    return `Release request queued; ${visibleText(result.owner)} gets it at its next renewal${eta}.`;
  }
  if (result.kind === 'stopped') {
    const leftMs = result.expiresAt - now;
    const end = leftMs > 0 ? `hold ends in ${countdownText(leftMs)}` : 'lease has ended';
    return `Renewals blocked; ${visibleText(result.owner)}’s ${end}.`;
  }
  if (result.kind === 'frozen' || result.kind === 'unfrozen') {
    return result.kind === 'frozen' ? 'Frozen: no new grants.' : 'Unfrozen.';
  }
  if (result.kind === 'capacitySet') {
    const { capacity, inUse } = result;
    return `Capacity set to ${exactCount(capacity)}; ${exactCount(inUse)} in use.`;
  }
  if (result.kind === 'extended') {
    return `Extended token ${shortToken(result.token)} by ${rangeText(result.byMs)}.`;
  }
  const { next, token, waitersBefore, waitersAfter, delayMs } = result;
  const released = `Released token ${shortToken(token)}`;
  if (next.kind === 'nobody') {
    const wait = waitersAfter > 0 ? `${exactCount(waitersAfter)} still waiting.` : 'No waiters.';
    const pause = delayMs > 0 ? ` No grants for ${boundText(delayMs)}.` : '';
    return `${released}.${pause} ${wait}`;
  }
  const granted = hold !== null && hold.owner === next.owner && hold.token > token ? hold : null;
  const to = visibleText(next.owner);
  const grantedToken = granted?.token ?? next.token;
  const waiters =
    `Waiters ${waitersBefore} → ` +
    `${granted ? Math.min(waitersAfter, waitersBefore - 1) : waitersAfter}.`;
  if (grantedToken === null) return `${released}, offered to ${to}. ${waiters}`;
  return `${released}, granted ${shortToken(grantedToken)} to ${to}. ${waiters}`;
}
