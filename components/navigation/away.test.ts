import { expect, test } from 'vitest';
import { openPage, reportBroken, reportGuard } from './away';

test('a page opened by a key or a menu waits for an unreachable server, as with a link', () => {
  const opened: string[] = [];
  const waiting: string[] = [];
  const open = (href: string) => openPage(href, (to) => opened.push(to));
  const endGuard = reportGuard((href) => waiting.push(href));
  open('/counters');
  const isBack = reportBroken();
  open('/audit');
  isBack();
  open('/waits');
  expect({ opened, waiting }).toEqual({ opened: ['/counters', '/waits'], waiting: ['/audit'] });
  endGuard();
});
