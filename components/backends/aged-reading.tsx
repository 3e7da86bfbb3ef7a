'use client';

import { type ReactNode, useMemo } from 'react';
import { runningDuration } from '@/server/core/format/durations';
import { ReadingProvider, useAged } from '../live/reading';
import type { Reading } from '../live/reading-store';

/**
 * Provides the age of what a query has read.
 *
 * @param updatedAt the query's `dataUpdatedAt`
 */
export function AgedReading({ updatedAt, children }: { updatedAt: number; children: ReactNode }) {
  const reading = useMemo<Reading>(
    () => ({
      asOf: updatedAt,
      receivedAt: performance.now() - (Date.now() - updatedAt),
      backends: [],
    }),
    [updatedAt],
  );
  return <ReadingProvider reading={reading}>{children}</ReadingProvider>;
}

/** How long a backend has not responded, counting on between two readings. */
export function Silence({ ms }: { ms: number }) {
  return useAged((ageMs) => runningDuration(ms + ageMs));
}
