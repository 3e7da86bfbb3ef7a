'use client';

import { useSyncExternalStore } from 'react';
import type { NextHolder } from '@/server/contract/lock/answers';

/** The result of an action, shown for a while where the lock is shown. */
export type ActionResult = { lockId: string; at: number } & (
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
      /** When the holder's next renewal is due, by the backend's clock; null if it never renewed. */
      dueAt: number | null;
    }
  | { kind: 'stopped'; owner: string; expiresAt: number }
  | { kind: 'frozen' }
  | { kind: 'unfrozen' }
  | { kind: 'extended'; token: number; byMs: number; expiresAt: number }
);

const SHOWN_MS = 30_000;

let results: readonly ActionResult[] = [];
const listeners = new Set<() => void>();

function change(next: readonly ActionResult[]) {
  results = next;
  for (const listener of listeners) listener();
}

/** Keeps a result for 30 s; a later one of the same lock takes its place. */
export function publishResult(result: ActionResult): void {
  change([...results.filter(({ lockId }) => lockId !== result.lockId), result]);
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
