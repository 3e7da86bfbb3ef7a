import type { IconName } from '../icons/icon-shapes';

export interface NavItem {
  href: string;
  word: string;
  icon: IconName;
  /** Behind “More” on a phone, whose bar has room for five. */
  isSeldom: boolean;
}

/** The places of the console, in the order of the rail. */
export const NAV_ITEMS: NavItem[] = [
  { href: '/', word: 'Locks', icon: 'locks', isSeldom: false },
  { href: '/counters', word: 'Counters', icon: 'counter', isSeldom: false },
  { href: '/audit', word: 'Audit', icon: 'audit', isSeldom: false },
  { href: '/namespaces', word: 'Namespaces', icon: 'layers', isSeldom: false },
  { href: '/backends', word: 'Backends', icon: 'database', isSeldom: true },
  { href: '/docs', word: 'API', icon: 'code', isSeldom: true },
  { href: '/settings', word: 'Settings', icon: 'settings', isSeldom: true },
];

/** Whether a page belongs to a place. */
export function isActive(pathname: string, href: string): boolean {
  if (href === '/') return pathname === '/' || pathname.startsWith('/locks/');
  return pathname === href || pathname.startsWith(`${href}/`);
}
