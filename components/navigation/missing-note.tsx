'use client';

import { usePathname } from 'next/navigation';
import { type ReactNode, useEffect, useState } from 'react';

/**
 * Why a page is not there. All of them are one page from memory, so only the browser knows what was
 * asked for; its words are loaded then, since every page brings this one along.
 *
 * @param children the words until then
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
