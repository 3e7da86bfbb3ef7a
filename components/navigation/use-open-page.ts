import { useRouter } from 'next/navigation';
import { useCallback } from 'react';
import { openPage } from './away';

/**
 * Opens a page of the console as a link does: while the server does not respond, once it is back,
 * so that what is known stays on the screen.
 */
export function useOpenPage(): (href: string) => void {
  const router = useRouter();
  return useCallback((href) => openPage(href, (to) => router.push(to)), [router]);
}
