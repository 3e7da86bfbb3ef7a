import { createRequire } from 'node:module';
import AxeBuilder from '@axe-core/playwright';
import type { Page } from 'playwright/test';
import { expect } from './lockyard-test';

/** The first is the width with which a page opens. */
const WIDTHS = [1440, 2560, 390, 375];
const AXE_WIDTHS = [390, 1440];
/** The width at which dark colours are checked: colours depend on the theme, not on the width. */
const DARK_WIDTH = 1440;
/** Whether the light theme is checked at that width too: hardly any text is only on a desktop. */
const isLong = process.env.TEST_LONG === '1';

/**
 * Checks that a page in its current state is usable on any screen: only tables scroll sideways from
 * 375 to 2560 px, nothing around the page scrolls with it, and axe finds no violation on a phone in
 * the light theme, and on a desktop in the dark one; `npm run test:long` checks a desktop in both.
 *
 * @param part a selector of what covers the page, such as a dialog: axe checks only this part,
 *   since the rest has not changed; `npm run test:long` checks the whole page with it on a desktop
 */
export async function expectSound(page: Page, part?: string): Promise<void> {
  for (const width of WIDTHS) {
    await expectToFit(page, width);
    if (width === DARK_WIDTH && isLong) await expectNoViolation(page, width, { part });
    else if (width === DARK_WIDTH) await expectInDark(page, width, part);
    else if (AXE_WIDTHS.includes(width)) await expectInLight(page, width, part);
  }
}

/**
 * Checks only how a page fits any screen, as {@link expectSound}: for a page with long texts that
 * another test checks with axe, whose findings do not depend on their length.
 */
export async function expectFitting(page: Page): Promise<void> {
  for (const width of WIDTHS) await expectToFit(page, width);
}

async function expectToFit(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ width, height: width < 500 ? 844 : 900 });
  await expect.poll(() => excess(page), { message: `scrolls sideways at ${width} px` }).toBe(0);
  await expect.poll(() => overhang(page), { message: `scrolls twice at ${width} px` }).toBe(0);
}

/**
 * Checks a page with axe at its present width, in one theme: light on a phone, dark on a desktop.
 * `npm run test:long` checks both themes: everything in the light one, and only colours, the one
 * difference, in the dark one.
 *
 * @param part as {@link expectSound}
 */
export async function expectNoViolation(
  page: Page,
  width: number,
  { part }: { part?: string | undefined } = {},
): Promise<void> {
  if (isLong) {
    await expectInLight(page, width);
    await expectInDark(page, width, part, ['color-contrast']);
  } else if (width === DARK_WIDTH) await expectInDark(page, width, part);
  else await expectInLight(page, width, part);
}

async function expectInDark(
  page: Page,
  width: number,
  part?: string,
  rules?: string[],
): Promise<void> {
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await violations(page, part, rules), `dark, ${width} px`).toEqual([]);
}

async function expectInLight(page: Page, width: number, part?: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' });
  expect(await violations(page, part), `light, ${width} px`).toEqual([]);
}

/** How much wider the page, or a part that scrolls in it, is than its window. */
const excess = (page: Page) =>
  page.evaluate(() => {
    const scrollers = [
      document.documentElement,
      ...document.querySelectorAll('#main, #main > div, [role="dialog"]'),
    ];
    return Math.max(...scrollers.map((element) => element.scrollWidth - element.clientWidth));
  });

/** How much higher the document is than its window, where only the page within it may scroll. */
const overhang = (page: Page) =>
  page.evaluate(() => {
    const { scrollHeight, clientHeight } = document.documentElement;
    return document.querySelector('.shell') === null ? 0 : scrollHeight - clientHeight;
  });

/** During a change between the themes, a text has the contrast of neither. */
const colourChangesEnded = () =>
  Promise.all(
    document
      .getAnimations()
      .filter((animation) => animation instanceof CSSTransition)
      .map(({ finished }) => finished.catch(() => undefined)),
  ).then(() => undefined);

/** The axe of the builder, which would send its half a megabyte twice for each check. */
const ofBuilder = createRequire(createRequire(import.meta.url).resolve('@axe-core/playwright'));
const { source } = ofBuilder('axe-core') as { source: string };
const NOTHING = ';';

interface Colour {
  r: number;
  g: number;
  b: number;
  alpha: number;
}

interface Axe {
  commons: { color: { Color: { prototype: { parseString: (text: string) => Colour } } } };
}

/** Lets axe parse each colour once: it takes half of its time, for the same few all over a page. */
function rememberColours(): void {
  const { prototype } = (window as unknown as { axe: Axe }).axe.commons.color.Color;
  const parse = prototype.parseString;
  const known = new Map<string, Colour>();
  prototype.parseString = function (this: Colour, text) {
    const { r, g, b, alpha } = known.get(text) ?? parse.call(this, text);
    known.set(text, { r, g, b, alpha });
    return Object.assign(this, { r, g, b, alpha });
  };
}

/**
 * @param part the whole page if absent
 * @param rules all rules if absent
 */
async function violations(page: Page, part?: string, rules?: string[]): Promise<string[]> {
  await page.evaluate(colourChangesEnded);
  const runOnly = rules && { type: 'rule' as const, values: rules };
  if (!(await page.evaluate(() => 'axe' in window))) {
    await page.evaluate(source);
    await page.evaluate(rememberColours);
  }
  const axe = new AxeBuilder({ page, axeSource: NOTHING });
  if (part) axe.include(part);
  // No page has frames: in legacy mode axe need not open another page each time.
  const found = await axe
    .setLegacyMode()
    .options({ resultTypes: ['violations'], ...(runOnly && { runOnly }) })
    .analyze();
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} at ${target}: ${failureSummary}`),
  );
}
