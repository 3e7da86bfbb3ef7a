import type { Locator, Page } from 'playwright/test';
import { lockPath } from '../server/core/paths/console-path';

/** Opens a page and waits until its code is running: earlier clicks would be lost. */
export async function openPage(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await untilAlive(page);
}

export async function untilAlive(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const controls = [...document.querySelectorAll('a, button, input')];
    return controls.every((control) =>
      Object.keys(control).some((key) => key.startsWith('__reactProps')),
    );
  });
}

/** Opens a page that shows locks and waits until it receives updates. */
export async function openLive(page: Page, address: string): Promise<void> {
  const line = page.waitForResponse(/\/api\/trpc\/locks\.watch/);
  await page.goto(address);
  await line;
}

/** The line of a lock in the list. */
export function lockRow(page: Page, name: string, namespace = 'default'): Locator {
  const link = page.locator(`a[href="${lockPath(namespace, name)}"]`);
  return page.getByRole('grid', { name: 'Locks' }).getByRole('row').filter({ has: link });
}

/** A cell of such a line: `state`, `name`, `owner`, `held`, `lease`, `waiters`, `renewals`. */
export const cell = (row: Locator, name: string): Locator => row.locator(`[data-cell="${name}"]`);

/** Counts page loads that begin from now on; an earlier one may still be ending. */
export function countLoads(page: Page): () => number {
  let loads = 0;
  page.on('request', (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) loads += 1;
  });
  return () => loads;
}
