'use client';

import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { Icon } from '../icons/icon';
import { Mark } from '../icons/mark';
import { isAt, PLACES } from './places';

/** The way around: a rail of icons over words, at the foot of the screen on a phone. */
export function Rail() {
  const pathname = usePathname();
  return (
    <nav aria-label="Pages" className="rail">
      <Link href="/" aria-label="Lockyard, all locks" className="rail-mark">
        <Mark />
      </Link>
      {PLACES.map(({ href, word, icon }) => (
        <Link
          key={href}
          href={href}
          aria-current={isAt(pathname, href) ? 'page' : undefined}
          className="rail-place"
          data-last={href === '/settings'}
        >
          <Icon name={icon} size={18} />
          {word}
        </Link>
      ))}
    </nav>
  );
}
