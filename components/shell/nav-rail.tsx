'use client';

import Link from 'next/link';
import { usePathname, useRouter } from 'next/navigation';
import { Icon } from '../icons/icon';
import { Mark } from '../icons/mark';
import { Menu, MenuItem } from '../ui/controls/menu';
import { isActive, NAV_ITEMS } from './nav-items';

const SECONDARY_ITEMS = NAV_ITEMS.filter(({ isSeldom }) => isSeldom);

/** The way around: a rail of icons over words, at the foot of the screen on a phone. */
export function NavRail() {
  const pathname = usePathname();
  return (
    <nav aria-label="Pages" className="rail">
      <Link href="/" aria-label="Lockyard, all locks" className="rail-mark">
        <Mark />
      </Link>
      {NAV_ITEMS.map(({ href, word, icon, isSeldom }) => (
        <Link
          key={href}
          href={href}
          aria-current={isActive(pathname, href) ? 'page' : undefined}
          className={`rail-place ${isSeldom ? 'max-md:hidden' : ''}`}
          data-last={href === '/settings'}
        >
          <Icon name={icon} size={18} />
          {word}
        </Link>
      ))}
      <MoreMenu isHere={SECONDARY_ITEMS.some(({ href }) => isActive(pathname, href))} />
    </nav>
  );
}

/** The rest of the places, where the bar has no room for them. */
function MoreMenu({ isHere }: { isHere: boolean }) {
  const router = useRouter();
  return (
    <Menu
      trigger={
        <button type="button" className="rail-place md:hidden" data-here={isHere}>
          <Icon name="menu" size={18} />
          More
        </button>
      }
    >
      {SECONDARY_ITEMS.map(({ href, word, icon }) => (
        <MenuItem key={href} icon={icon} onSelect={() => router.push(href)}>
          {word}
        </MenuItem>
      ))}
    </Menu>
  );
}
