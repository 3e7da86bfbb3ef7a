'use client';

import { usePathname } from 'next/navigation';
import { AuthFrame } from '../auth/auth-frame';
import { useIsHydrated } from '../live/use-is-hydrated';
import { missingSubject } from './missing-subject';
import { NearLink } from './near-link';

/** Links to pages that may have what was looked for. */
const PLACES = [
  { href: '/', label: 'Locks' },
  { href: '/counters', label: 'Counters' },
  { href: '/insights', label: 'Incidents' },
  { href: '/namespaces', label: 'Namespaces' },
];

/**
 * In place of a page that is not there. All of them are one page from memory, so only the reader's
 * browser knows what was asked for.
 */
export function MissingPage() {
  const pathname = usePathname();
  const { title, why } = missingSubject(useIsHydrated() ? pathname : '');
  return (
    <AuthFrame title={title}>
      {/* As high as its longest usual text: nothing moves once the address is known. */}
      <p className="mt-1.5 line-clamp-6 min-h-[66px] text-14 text-t2 [overflow-wrap:anywhere]">
        {why}
      </p>
      <p className="mt-6 flex flex-wrap gap-3">
        {PLACES.map(({ href, label }) => (
          <NearLink key={href} href={href} className="button" data-size="large">
            {label}
          </NearLink>
        ))}
      </p>
    </AuthFrame>
  );
}
