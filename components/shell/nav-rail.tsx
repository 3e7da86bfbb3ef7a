'use client';

import { useLinkStatus } from 'next/link';
import { usePathname } from 'next/navigation';
import { Icon, type IconName } from '../icons/icon';
import { Mark } from '../icons/mark';
import { NearLink } from '../navigation/near-link';
import { useOpenPage } from '../navigation/use-open-page';
import { pastHref } from '../past/past-address';
import { usePastAt } from '../past/past-at';
import { Menu, MenuItem } from '../ui/controls/menu';

interface NavItem {
  href: string;
  label: string;
  icon: IconName;
  /** Pressed after `g`, it opens the page. */
  key: string;
}

const PRIMARY_ITEMS: NavItem[] = [
  { href: '/', label: 'Locks', icon: 'locks', key: 'l' },
  { href: '/holders', label: 'Holders', icon: 'process', key: 'h' },
  { href: '/waits', label: 'Waits', icon: 'graph', key: 'w' },
  { href: '/counters', label: 'Counters', icon: 'counter', key: 'c' },
];

/** Behind “More” on a phone, whose bar has room for five items. */
const SECONDARY_ITEMS: NavItem[] = [
  { href: '/insights', label: 'Insights', icon: 'activity', key: 'i' },
  { href: '/alerts', label: 'Alerts', icon: 'bell', key: 't' },
  { href: '/audit', label: 'Audit', icon: 'audit', key: 'a' },
  { href: '/namespaces', label: 'Namespaces', icon: 'layers', key: 'n' },
  { href: '/lab', label: 'Lab', icon: 'flask', key: 'r' },
  { href: '/backends', label: 'Backends', icon: 'database', key: 'b' },
  { href: '/docs', label: 'API', icon: 'code', key: 'd' },
  { href: '/settings', label: 'Settings', icon: 'settings', key: 's' },
];

/** Every page that the navigation leads to. */
export const NAV_ITEMS = [...PRIMARY_ITEMS, ...SECONDARY_ITEMS];

/** Whether a page belongs to an item. */
function isActive(pathname: string, href: string): boolean {
  if (href === '/') return pathname === '/' || pathname.startsWith('/locks/');
  return pathname === href || pathname.startsWith(`${href}/`);
}

/** The main navigation: a rail at the left, a bar at the foot of a phone's screen. */
export function NavRail() {
  const pathname = usePathname();
  return (
    <nav aria-label="Main" className="rail">
      <NearLink href="/" aria-label="Lockyard home" className="rail-mark">
        <Mark />
      </NearLink>
      {PRIMARY_ITEMS.map((item) => (
        <RailLink key={item.href} item={item} />
      ))}
      {SECONDARY_ITEMS.map((item) => (
        <RailLink key={item.href} item={item} className="max-md:hidden" />
      ))}
      <MoreMenu isHere={SECONDARY_ITEMS.some(({ href }) => isActive(pathname, href))} />
    </nav>
  );
}

function RailLink({
  item: { href, label, icon },
  className = '',
}: {
  item: NavItem;
  className?: string;
}) {
  return (
    <NearLink
      href={pastHref(href, usePastAt())}
      aria-current={isActive(usePathname(), href) ? 'page' : undefined}
      className={`rail-item ${className}`}
      data-last={href === '/settings'}
    >
      <RailIcon name={icon} />
      {label}
    </NearLink>
  );
}

/** Marks its item as soon as it is clicked, however long its page takes to come. */
function RailIcon({ name }: { name: IconName }) {
  const { pending } = useLinkStatus();
  return <Icon name={name} size={18} className={pending ? 'rail-pending' : ''} />;
}

function MoreMenu({ isHere }: { isHere: boolean }) {
  const open = useOpenPage();
  const at = usePastAt();
  return (
    <Menu
      trigger={
        <button type="button" className="rail-item md:hidden" data-here={isHere}>
          <Icon name="menu" size={18} />
          More
        </button>
      }
    >
      {SECONDARY_ITEMS.map(({ href, label, icon }) => (
        <MenuItem key={href} icon={icon} onSelect={() => open(pastHref(href, at))}>
          {label}
        </MenuItem>
      ))}
    </Menu>
  );
}
