'use client';

import { usePathname } from 'next/navigation';
import { type ReactNode, useEffect, useState } from 'react';

/**
 * Why a page does not exist. All missing pages are one cached page, so only the browser knows the
 * address that was requested. The text for it is loaded on demand, since every page includes this.
 *
 * @param children shown until the text is loaded
 */
export function MissingNote({ children }: { children: ReactNode }) {
  const pathname = usePathname();
  const [why, setWhy] = useState<string | null>(null);
  useEffect(() => {
    import('./missing-subject').then(
      ({ missingSubject }) => setWhy(missingSubject(pathname)),
      () => undefined,
    );
  }, [pathname]);
  return why ?? children;
}
