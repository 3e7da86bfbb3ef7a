import AxeBuilder from '@axe-core/playwright';
import type { Page } from 'playwright/test';
import { expect } from './lockyard-test';

/** The first is what a page opens with. */
const WIDTHS = [1440, 2560, 390, 375];
const AXE_WIDTHS = [390, 1440];
/** Where colours are looked at in the dark, too: they depend on the theme, hardly on the width. */
const DARK_WIDTH = 1440;

/**
 * Checks that a page, as it is now, is usable on any screen: nothing but tables scrolls sideways
 * from 375 to 2560 px, nothing around the page scrolls with it, and axe finds nothing on a phone
 * and on a desktop, nor in the dark.
 *
 * @param part a selector of what covers the page, such as a dialog: on a desktop axe looks at the
 *   whole page, on a phone and in the dark at this part, since the rest is as it was without it
 */
export async function expectSound(page: Page, part?: string): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: width < 500 ? 844 : 900 });
    await expect.poll(() => excess(page), { message: `scrolls sideways at ${width} px` }).toBe(0);
    await expect.poll(() => overhang(page), { message: `scrolls twice at ${width} px` }).toBe(0);
    if (width === DARK_WIDTH) await expectNoViolation(page, width, { part });
    else if (AXE_WIDTHS.includes(width)) await expectInLight(page, width, part);
  }
}

/**
 * Between light and dark nothing changes but colours: in the dark they alone are looked at again.
 *
 * @param part as {@link expectSound}
 */
export async function expectNoViolation(
  page: Page,
  width: number,
  { part }: { part?: string | undefined } = {},
): Promise<void> {
  await expectInLight(page, width);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await violations(page, part, ['color-contrast']), `dark, ${width} px`).toEqual([]);
}

async function expectInLight(page: Page, width: number, part?: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' });
  expect(await violations(page, part), `light, ${width} px`).toEqual([]);
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

/** By how much the document is higher than its window where only the page within it may scroll. */
const overhang = (page: Page) =>
  page.evaluate(() => {
    const { scrollHeight, clientHeight } = document.documentElement;
    return document.querySelector('.shell') === null ? 0 : scrollHeight - clientHeight;
  });

/** In the middle of a change between light and dark a text has the contrast of neither. */
const colourChangesEnded = () =>
  Promise.all(
    document
      .getAnimations()
      .filter((animation) => animation instanceof CSSTransition)
      .map(({ finished }) => finished.catch(() => undefined)),
  ).then(() => undefined);

/** Instead of axe's half a megabyte, on a page that has it already. */
const NOTHING = ';';

/**
 * @param part all if absent
 * @param rules all if absent
 */
async function violations(page: Page, part?: string, rules?: string[]): Promise<string[]> {
  await page.evaluate(colourChangesEnded);
  const runOnly = rules && { type: 'rule' as const, values: rules };
  const hasAxe = await page.evaluate(() => 'axe' in window);
  const axe = new AxeBuilder(hasAxe ? { page, axeSource: NOTHING } : { page });
  if (part) axe.include(part);
  // No page has frames: looked at alone, it need not open another page each time.
  const found = await axe
    .setLegacyMode()
    .options({ resultTypes: ['violations'], ...(runOnly && { runOnly }) })
    .analyze();
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} at ${target}: ${failureSummary}`),
  );
}
