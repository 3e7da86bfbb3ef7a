import AxeBuilder from '@axe-core/playwright';
import type { Page } from 'playwright/test';
import { expect } from './lockyard-test';

const WIDTHS = [375, 390, 1440, 2560];
const AXE_WIDTHS = [390, 1440];
/** Where colours are looked at in the dark, too: they depend on the theme, hardly on the width. */
const DARK_WIDTH = 1440;

/**
 * Checks that a page, as it is now, is usable on any screen: nothing but tables scrolls sideways
 * from 375 to 2560 px, and axe finds nothing on a phone and on a desktop, nor in the dark.
 */
export async function expectSound(page: Page): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: width < 500 ? 844 : 900 });
    await expect.poll(() => excess(page), { message: `scrolls sideways at ${width} px` }).toBe(0);
    if (AXE_WIDTHS.includes(width)) await expectNoViolation(page, width, width === DARK_WIDTH);
  }
}

/**
 * Between light and dark nothing changes but colours: in the dark they alone are looked at again.
 */
export async function expectNoViolation(page: Page, width: number, inDark = true): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' });
  expect(await violations(page), `light, ${width} px`).toEqual([]);
  if (!inDark) return;
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await violations(page, ['color-contrast']), `dark, ${width} px`).toEqual([]);
}

/** By how much the page, or what scrolls in it, is wider than its window. */
const excess = (page: Page) =>
  page.evaluate(() => {
    const scrollers = [
      document.documentElement,
      ...document.querySelectorAll('#main, #main > div'),
    ];
    return Math.max(...scrollers.map((element) => element.scrollWidth - element.clientWidth));
  });

/** @param rules all if absent */
async function violations(page: Page, rules?: string[]): Promise<string[]> {
  const runOnly = rules && { type: 'rule' as const, values: rules };
  // No page has frames: looked at alone, it need not open another page each time.
  const found = await new AxeBuilder({ page })
    .setLegacyMode()
    .options({ resultTypes: ['violations'], ...(runOnly && { runOnly }) })
    .analyze();
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} at ${target}: ${failureSummary}`),
  );
}
