'use client';

import { usePathname, useSearchParams } from 'next/navigation';
import { useCallback } from 'react';
import type { InsightRange } from '@/server/contract/console/insight-row';
import { rangeUrl, readRange } from './chart-range';

/** Which range the charts show, kept in the page's address; changing it asks nothing of Next. */
export function useChartRange(): [InsightRange, (range: InsightRange) => void] {
  const range = readRange(useSearchParams());
  const pathname = usePathname();
  const change = useCallback(
    (next: InsightRange) => window.history.replaceState(null, '', rangeUrl(pathname, next)),
    [pathname],
  );
  return [range, change];
}
