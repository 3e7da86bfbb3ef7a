import type { Page } from 'playwright/test';
import { counterPath, lockPath } from '../server/core/paths/console-path';
import { openLive, openPage } from './locks-page';
import { callConsole, createService, expect, signIn, test, waitFor } from './lockyard-test';

/** Reverses the text after it, and is invisible itself. */
const TURN = '\u202e';
const name = `invoice-${TURN}gnp.exe\u200b`;
const owner = `billing-${TURN}1-srevres\u0007`;
const reason = `It is ${TURN}kcuts\u2066 since noon.`;
const meta = {
  host: `ip-${TURN}10`,
  pid: `4\u200d2`,
  version: `v${TURN}1`,
  'rack\u061c': `b\u00ad7`,
};

/** Every character of the test's texts that must not be drawn as itself. */
const UNSEEN = ['\u0007', '\u00ad', '\u061c', '\u200b', '\u200d', TURN, '\u2066'];
const hasUnseen = (text: string) => UNSEEN.some((character) => text.includes(character));

/** All that a person may read on a page: its texts, titles and labels. */
const readable = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const words = ['title', 'aria-label', 'alt', 'placeholder'];
    const inAttributes = [...document.querySelectorAll('*')].flatMap((element) =>
      words.map((word) => element.getAttribute(word) ?? ''),
    );
    return [document.title, document.body.innerText, ...inAttributes];
  });

async function expectSeen(page: Page, shown: string): Promise<void> {
  await expect.poll(async () => (await readable(page)).join('\n')).toContain(shown);
  expect((await readable(page)).filter(hasUnseen)).toEqual([]);
}

test('an invisible character is drawn as a mark in every list, page, dialog and title', async ({
  page,
  context,
  server,
  admin,
}) => {
  await signIn(context, server, admin);
  const service = await createService(server, admin, 'orders');
  const held = await service.acquire({ name, owner, meta, leaseMs: 600_000 });
  if (held.outcome !== 'granted') throw new Error(held.outcome);
  const next = { name, owner: `${owner}2`, requestId: 'next-in-line' };
  const waiting = waitFor(service, { ...next, leaseMs: 60_000 });
  const at = { namespace: 'default', name, rev: held.rev };
  await callConsole(server, admin.cookie, 'locks.askRelease', { ...at, token: held.token, reason });
  const counter = { namespace: 'default', name, initial: 1, reason };
  await callConsole(server, admin.cookie, 'counters.create', counter);

  await openLive(page, `/?q=${encodeURIComponent(TURN)}`);
  await expectSeen(page, 'billing-');
  await page.keyboard.press('j');
  await page.keyboard.press('r');
  await expectSeen(page, 'grant to billing-[U+202E]');
  await page.keyboard.press('Escape');

  await openLive(page, `/?q=${encodeURIComponent(`${TURN}no such lock`)}`);
  await expectSeen(page, 'No locks match these filters.');

  await openPage(page, lockPath('default', name));
  await expect(page).toHaveTitle(/^invoice-\[U\+202E\]gnp\.exe\[U\+200B\]/);
  await expectSeen(page, 'U+00AD');
  for (const [button, title] of [
    ['Ask again…', 'Ask billing-[U+202E]'],
    ['Block renewals…', 'Block renewals for billing-[U+202E]'],
    ['Extend…', 'Extend billing-[U+202E]'],
    ['Freeze…', 'Freeze this lock?'],
  ] as const) {
    await page.getByRole('button', { name: button }).click();
    await expectSeen(page, title);
    await page.keyboard.press('Escape');
  }
  await callConsole(server, admin.cookie, 'locks.freeze', { ...at, reason });
  await expectSeen(page, 'Frozen by ada ');
  await expectSeen(page, ' ago: “It is [U+202E]kcuts[U+2066] since noon”.');
  await callConsole(server, admin.cookie, 'locks.forceRelease', {
    ...at,
    token: held.token,
    reason,
  });
  await expectSeen(page, 'Not held.');

  await openPage(page, '/audit');
  await expectSeen(page, 'Froze lock');
  await openPage(page, '/counters');
  await expectSeen(page, 'invoice-');
  await openPage(page, counterPath('default', name));
  await expectSeen(page, 'since noon');
  await service.cancel(next);
  await waiting;
});
