import type { Page, Route } from 'playwright/test';
import type { LockyardClient } from '../client/lockyard';
import { lockPath } from '../server/core/paths/console-path';
import { expectSound } from './expect-sound';
import { lockRow, openLive } from './locks-page';
import { createService, expect, signIn, test } from './lockyard-test';

let slow: LockyardClient;
test.beforeAll(async ({ server, admin }) => {
  slow = await createService(server, admin, 'slow');
});
test.beforeEach(({ page, server, admin }) => signIn(page.context(), server, admin));

const dialog = (page: Page) => page.getByRole('dialog');
const button = (page: Page, name: string | RegExp) => dialog(page).getByRole('button', { name });
const SILENT = 'No response from the server for';
/** What is shown on the page once the dialog is closed. */
const note = (page: Page, text: string) => page.getByRole('group').filter({ hasText: text });

async function take(name: string): Promise<void> {
  const answer = await slow.acquire({ name, leaseMs: 600_000 });
  if (answer.outcome !== 'granted') throw new Error(answer.outcome);
}

/** Holds back the answer to the first request of a procedure, which the server gets at once. */
async function holdBack(page: Page, procedure: string): Promise<{ answer: () => void }> {
  let answer = () => {};
  const released = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const hold = async (route: Route) => {
    const response = await route.fetch();
    await released;
    // The page may be closed by then.
    await route.fulfill({ response }).catch(() => undefined);
  };
  await page.route(`**/api/trpc/${procedure}*`, hold, { times: 1 });
  return { answer: () => answer() };
}

async function extend(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Extend…' }).click();
  await dialog(page)
    .getByLabel(/^Reason/)
    .fill('the export is nearly done');
  await button(page, /^Extend by/).click();
}

test('a dialog says since when there is no answer, and what is retried is applied once', async ({
  page,
}) => {
  const name = 'silent-once';
  await take(name);
  const endsAt = async () => (await slow.inspect({ name })).holders[0]?.expiresAt ?? 0;
  const before = await endsAt();
  await openLive(page, lockPath('default', name));
  const held = await holdBack(page, 'locks.extend');
  const askedAt = performance.now();
  await extend(page);
  await expect(button(page, 'Working…')).toBeVisible();
  const silence = async () => {
    const text = await dialog(page).getByText(SILENT).innerText();
    return Number(/ for (\d+)\ss\.$/.exec(text)?.[1]);
  };
  const first = await silence();
  expect(first).toBeGreaterThanOrEqual(6);
  expect(first).toBeLessThanOrEqual((performance.now() - askedAt) / 1_000);
  await expect.poll(silence).toBeGreaterThan(first + 1);
  const advice = 'The action may or may not take effect. Trying again is safe';
  await expect(dialog(page).getByText(advice).last()).toBeVisible();
  await expectSound(page, '[role="dialog"]');
  await button(page, 'Try again').click();
  await expect(dialog(page)).toHaveCount(0);
  await expect(page.getByRole('status').filter({ hasText: 'Extended token' })).toBeVisible();
  held.answer();
  expect((await endsAt()) - before).toBe(5 * 60_000);
  await expect(note(page, 'The response took')).toHaveCount(0);
});

test('a dialog without an answer can be closed, and the page shows the outcome', async ({
  page,
}) => {
  const name = 'silent-late';
  await take(name);
  await openLive(page, lockPath('default', name));
  const held = await holdBack(page, 'locks.extend');
  await extend(page);
  await expect(button(page, 'Close')).toBeEnabled();
  await button(page, 'Close').click();
  const open = note(page, 'No response yet. It may or may not take effect.');
  await expect(open).toContainText('Extend by 5 min · silent-late');
  await expectSound(page);
  await page.getByRole('button', { name: 'Extend…' }).click();
  held.answer();
  // The page behind a dialog is hidden from queries by role.
  await expect(page.getByText('Applied. The response took')).toBeVisible();
  await expect(page.getByText(/^Extended token/)).not.toHaveCount(0);
  await expect(dialog(page)).toHaveAccessibleName('Extend slow-1’s lease?');
  await button(page, 'Cancel').click();
  await page.getByRole('button', { name: 'Hide' }).click();
  await expect(note(page, 'Applied.')).toHaveCount(0);
});

test('a late refusal and a lost answer are shown as what they are', async ({ page }) => {
  const name = 'silent-refused';
  await take(name);
  await openLive(page, lockPath('default', name));
  let lose = () => {};
  const lost = new Promise<void>((resolve) => {
    lose = resolve;
  });
  const refuse = async (route: Route) => {
    await lost;
    const refusal = { message: 'orders is down.', code: -32_603, data: { reason: 'BACKEND_DOWN' } };
    await route.fulfill({ json: [{ error: refusal }] });
  };
  await page.route('**/api/trpc/locks.extend*', refuse, { times: 1 });
  await extend(page);
  await button(page, 'Close').click();
  lose();
  await expect(note(page, 'Extend by')).toContainText('Not applied. orders is down.');
  await page.getByRole('button', { name: 'Hide' }).click();

  await page.goto('/namespaces');
  const gone = new Promise<void>((resolve) => {
    lose = resolve;
  });
  const abort = (route: Route) => gone.then(() => route.abort());
  await page.route('**/api/trpc/namespaces.create*', abort, { times: 1 });
  await page.getByRole('button', { name: 'New namespace…' }).click();
  await dialog(page).getByRole('textbox', { name: /^Name/ }).fill('silent-space');
  await button(page, 'Create namespace').click();
  await expect(button(page, 'Working…')).toBeDisabled();
  await expect(dialog(page).getByText(SILENT)).toBeVisible();
  await expect(button(page, 'Working…')).toBeDisabled();
  await button(page, 'Close').click();
  await expect(note(page, 'New namespace')).toContainText('No response yet.');
  lose();
  await expect(note(page, 'New namespace')).toContainText(
    'The result is unknown. Check the current state before retrying.',
  );
});

test('an act on a selection without an answer can be closed, and is shown for each lock', async ({
  page,
}) => {
  for (const name of ['silent-a', 'silent-b']) await take(name);
  await openLive(page, '/?view=all&q=silent-');
  for (const name of ['silent-a', 'silent-b']) {
    await lockRow(page, name).getByRole('checkbox').click();
  }
  await page.keyboard.press('r');
  await dialog(page)
    .getByLabel(/^Number of locks/)
    .fill('2');
  await dialog(page)
    .getByLabel(/^Reason/)
    .fill('the export is over');
  const held = await holdBack(page, 'locks.forceRelease');
  await button(page, /^Force release 2/).click();
  await expect(button(page, 'Stop')).toBeVisible();
  await expect(dialog(page).getByText(SILENT)).toBeVisible();
  await button(page, 'Close').click();
  await expect(note(page, 'No response yet.').first()).toContainText('Force release · silent-');
  held.answer();
  await expect(note(page, 'Applied. The response took').first()).toBeVisible();
  await expect(note(page, 'No response yet.')).toHaveCount(0);
  expect((await slow.inspect({ name: 'silent-a' })).holders).toEqual([]);
});
