'use client';

import { usePathname, useSearchParams } from 'next/navigation';
import { useCallback } from 'react';
import type { InsightRange } from '@/server/contract/console/insight-row';
import { rangeAddress, readRange } from './chart-range';

/** Which range the charts show, kept in the page's address; changing it asks nothing of Next. */
export function useRange(): [InsightRange, (range: InsightRange) => void] {
  const range = readRange(useSearchParams());
  const pathname = usePathname();
  const change = useCallback(
    (next: InsightRange) => window.history.replaceState(null, '', rangeAddress(pathname, next)),
    [pathname],
  );
  return [range, change];
}
