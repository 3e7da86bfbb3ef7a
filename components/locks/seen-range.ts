'use client';

import { useEffect, useSyncExternalStore } from 'react';
import type { LockPage } from '@/server/domain/lock-row';

/** One reading of the figures, on the page's monotonic clock. */
export interface Sample {
  at: number;
  figures: Record<string, number>;
}

const KEPT_MS = 10 * 60_000;
const APART_MS = 2_000;

let samples: readonly Sample[] = [];
const NONE: readonly Sample[] = [];
const listeners = new Set<() => void>();

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function figuresOf(page: LockPage): Record<string, number> {
  return { ...page.counts, waiting: page.waiting };
}

/** What this tab has seen of the figures in the last ten minutes; it is not asked of the server. */
export function useSeenFigures(page: LockPage, receivedAt: number | null): readonly Sample[] {
  useEffect(() => {
    if (receivedAt === null) return;
    const last = samples.at(-1);
    if (last && receivedAt - last.at < APART_MS) return;
    const kept = samples.filter(({ at }) => receivedAt - at < KEPT_MS);
    samples = [...kept, { at: receivedAt, figures: figuresOf(page) }];
    for (const listener of listeners) listener();
  }, [page, receivedAt]);
  return useSyncExternalStore(
    subscribe,
    () => samples,
    () => NONE,
  );
}
