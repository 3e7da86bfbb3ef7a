'use client';

import { useEffect, useSyncExternalStore } from 'react';
import type { FleetNow } from '@/server/contract/console/insight-row';
import type { LockPage } from '@/server/contract/console/lock-row';

/** One reading of the figures, on the page's monotonic clock. */
export interface Sample {
  at: number;
  figures: Record<string, number>;
}

const SAMPLES_SPAN_MS = 10 * 60_000;
const SAMPLE_EVERY_MS = 2_000;

let samples: readonly Sample[] = [];
const NONE: readonly Sample[] = [];
const listeners = new Set<() => void>();

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function figuresOf(page: LockPage, fleet: FleetNow | null): Record<string, number> {
  const { counts, waiting } = page;
  return { waiting, stuck: counts.stuck, ...(fleet && { held: fleet.held }) };
}

/** What this tab has seen of the figures in the last ten minutes; it is not asked of the server. */
export function useFigureSamples(
  page: LockPage,
  fleet: FleetNow | null,
  receivedAt: number | null,
): readonly Sample[] {
  useEffect(() => {
    if (receivedAt === null) return;
    const last = samples.at(-1);
    if (last && receivedAt - last.at < SAMPLE_EVERY_MS) return;
    const kept = samples.filter(({ at }) => receivedAt - at < SAMPLES_SPAN_MS);
    samples = [...kept, { at: receivedAt, figures: figuresOf(page, fleet) }];
    for (const listener of listeners) listener();
  }, [page, fleet, receivedAt]);
  return useSyncExternalStore(
    subscribe,
    () => samples,
    () => NONE,
  );
}
