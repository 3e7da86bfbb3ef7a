import type { IconName } from '../icons/icon-shapes';

/** The places of the console, in the order of the rail. */
export const PLACES: { href: string; word: string; icon: IconName }[] = [
  { href: '/', word: 'Locks', icon: 'locks' },
  { href: '/counters', word: 'Counters', icon: 'counter' },
  { href: '/audit', word: 'Audit', icon: 'audit' },
  { href: '/backends', word: 'Backends', icon: 'database' },
  { href: '/docs', word: 'API', icon: 'code' },
  { href: '/settings', word: 'Settings', icon: 'settings' },
];

/** Whether a page belongs to a place. */
export function isAt(pathname: string, href: string): boolean {
  if (href === '/') return pathname === '/' || pathname.startsWith('/locks/');
  return pathname === href || pathname.startsWith(`${href}/`);
}
