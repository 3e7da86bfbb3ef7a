'use client';

import { usePathname, useSearchParams } from 'next/navigation';
import { isPastPage, readPastAt } from './past-address';

/**
 * The instant of the past that the page shows, on the server's clock; null: it shows the present.
 */
export function usePastAt(): number | null {
  const text = useSearchParams().get('at');
  const pathname = usePathname();
  if (!isPastPage(pathname)) return null;
  const at = readPastAt(text);
  return at === 'unreadable' ? null : at;
}
