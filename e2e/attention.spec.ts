import type { LockyardClient } from '../client/lockyard';
import { lockPath } from '../server/core/paths/console-path';
import { cell, lockRow, openLive, untilAlive } from './locks-page';
import { createService, expect, signIn, test } from './lockyard-test';

let night: LockyardClient;
test.beforeAll(async ({ server, admin }) => {
  night = await createService(server, admin, 'night');
});
test.beforeEach(({ context, server, admin }) => signIn(context, server, admin));

test('the page opens with what needs attention, and a lock as a preview with an address', async ({
  page,
}) => {
  const lost = await night.acquire({ name: 'shift:left-behind:at-night', leaseMs: 1_000 });
  if (lost.outcome !== 'granted') throw new Error(lost.outcome);
  const calm = await night.acquire({ name: 'shift:calm', leaseMs: 600_000 });
  if (calm.outcome !== 'granted') throw new Error(calm.outcome);
  await openLive(page, '/?q=shift');
  await expect(cell(lockRow(page, 'shift:left-behind:at-night'), 'state')).toContainText('Expired');
  await openLive(page, '/');
  const row = lockRow(page, 'shift:left-behind:at-night');
  await expect(row).toBeVisible();
  await expect(lockRow(page, 'shift:calm')).toHaveCount(0);
  await expect(page.getByRole('button', { name: /^Needs attention/ })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
  const link = row.getByRole('link');
  await expect(link).toHaveAccessibleName('shift:left-behind:at-night');
  const selected = link.evaluate((element) => {
    window.getSelection()?.selectAllChildren(element);
    return window.getSelection()?.toString();
  });
  expect(await selected).toBe('shift:left-behind:at-night');
  await page.getByRole('button', { name: /^All/ }).click();
  await expect(page).toHaveURL(/view=all/);
  await page.getByRole('searchbox').fill('shift:');
  const other = lockRow(page, 'shift:calm');
  await expect(other).toBeVisible();
  // Until the list is filtered, the row is in another place.
  await expect(page.getByText('1–2 of 2')).toBeVisible();

  const preview = page.getByRole('complementary', { name: 'Lock preview' });
  await cell(other, 'held').click();
  await expect(preview.getByRole('heading', { level: 2, name: 'shift:calm' })).toBeVisible();
  await expect(preview.getByRole('region', { name: 'Holder' })).toContainText('night-1');
  await expect(page).toHaveURL(/peek=default%2Fshift%3Acalm/);
  await page.reload();
  await untilAlive(page);
  await expect(preview.getByRole('region', { name: 'Queue' })).toContainText('No waiters.');
  await page.keyboard.press('Escape');
  await expect(preview).toHaveCount(0);
  await page.keyboard.press('j');
  await page.keyboard.press(' ');
  await expect(preview).toContainText('shift:left-behind:at-night');
  await page.keyboard.press('j');
  await expect(preview).toContainText('shift:calm');
  await page.keyboard.press('a');
  await expect(page.getByRole('dialog')).toContainText('Ask night-1 to release?');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await preview.getByRole('button', { name: 'Previous lock' }).press('Enter');
  await expect(preview).toContainText('shift:left-behind:at-night');
  // The first lock has none before it.
  await expect(preview.getByRole('button', { name: 'Next lock' })).toBeFocused();
  await page.keyboard.press('f');
  await expect(page.getByRole('dialog')).toContainText('shift:left-behind:at-night');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await preview.getByRole('button', { name: 'Close preview' }).press('Enter');
  await expect(preview).toHaveCount(0);
  await expect(row).toBeFocused();

  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Go anywhere' }).fill('left-behind');
  await page.getByRole('option', { name: /left-behind/ }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('shift:left-behind:at-night');
  for (const [key, path] of Object.entries({
    c: 'counters',
    t: 'alerts',
    r: 'lab',
    s: 'settings',
  })) {
    // One call: the second key must follow within 2 s.
    await page.keyboard.type(`g${key}`);
    await expect(page).toHaveURL(new RegExp(`/${path}$`));
  }
});

test('on the smallest phone the preview shows every control and the whole reason', async ({
  page,
}) => {
  await page.setViewportSize({ width: 320, height: 640 });
  const name = 'shift:small-phone';
  const reason = `${'the rota is being repaired by hand until '.repeat(8)}tonight`;
  await night.acquire({ name, leaseMs: 600_000 });
  await openLive(page, lockPath('default', name));
  await page.getByRole('button', { name: 'Freeze…' }).click();
  await page
    .getByRole('dialog')
    .getByLabel(/^Reason/)
    .fill(reason);
  await page.getByRole('button', { name: 'Freeze this lock' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await openLive(page, `/?view=all&q=${name}`);
  await cell(lockRow(page, name), 'state')
    .getByText(/^the rota/)
    .click();
  const preview = page.getByRole('complementary', { name: 'Lock preview' });
  await expect(preview.locator('.lock-sentence')).toContainText(reason);
  await expect(preview.getByRole('button', { name: 'I’m on it' })).toBeVisible();
  for (const label of ['Next lock', 'Open', 'Close preview']) {
    const box = await preview.getByRole('button', { name: label }).boundingBox();
    if (!box) throw new Error(`There is no button ${label}.`);
    expect(box.x + box.width, label).toBeLessThanOrEqual(320);
  }
});

test('on a wide screen with two-line rows, the actions of a row cover none of its figures', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1_920, height: 1_080 });
  const name = 'shift:wide';
  await night.acquire({ name, leaseMs: 1_000 });
  const row = lockRow(page, name);
  await openLive(page, `/?q=${name}`);
  await expect(cell(row, 'state')).toContainText('Expired');
  await openLive(page, '/');
  await expect(cell(row, 'state')).toContainText('Expired');
  // It stays in the view for a while, and has a holder to act on.
  await night.acquire({ name, leaseMs: 600_000 });
  await expect(cell(row, 'state')).toContainText('Held');
  const waiters = cell(row, 'waiters');
  await waiters.hover();
  const isOnTop = await waiters.evaluate((element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return element.contains(document.elementFromPoint(x + width / 2, y + height / 2));
  });
  expect(isOnTop).toBe(true);
});

test('text typed while the command menu loads goes into it, and triggers no shortcut', async ({
  page,
}) => {
  const held = await night.acquire({ name: 'rota:typed', leaseMs: 600_000 });
  if (held.outcome !== 'granted') throw new Error(held.outcome);
  await openLive(page, '/locks/default/rota%3Atyped');
  await page.route(/\/_next\/static\/.*\.js/, async (route) => {
    await page.waitForTimeout(300);
    await route.continue();
  });
  const slow = await page.context().newCDPSession(page);
  await slow.send('Emulation.setCPUThrottlingRate', { rate: 6 });
  await page.keyboard.press('Control+k');
  // Begins with the keys of several actions on this lock, and continues while the menu appears.
  const menu = page.getByRole('combobox', { name: 'Go anywhere' });
  let typed = '';
  for (let after = 0; after < 2; after += (await menu.isVisible()) ? 1 : 0) {
    await page.keyboard.type('ifrabx', { delay: 10 });
    typed += 'ifrabx';
  }
  await slow.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  await expect(menu).toHaveValue(typed);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'I’m on it' })).toBeVisible();
});

test('a key that follows a selection at once acts on all that is selected', async ({ page }) => {
  for (const place of [1, 2]) await night.acquire({ name: `haste:${place}`, leaseMs: 600_000 });
  await openLive(page, '/?q=haste:&sort=name');
  await page.getByRole('checkbox', { name: 'Select haste:1' }).click();
  await page.getByRole('checkbox', { name: 'Select haste:2' }).evaluate(async (box) => {
    (box as HTMLElement).click();
    // What is selected is shown before the next task.
    for (let turn = 0; turn < 20; turn += 1) await null;
    box.dispatchEvent(new KeyboardEvent('keydown', { key: 'r', bubbles: true }));
  });
  await expect(page.getByRole('dialog', { name: 'Force release 2 locks?' })).toBeVisible();
});

test('a filter that a key sets has the focus, even if its menu would return it late', async ({
  page,
}) => {
  await night.acquire({ name: 'late:1', leaseMs: 600_000 });
  await openLive(page, '/?q=late:&sort=name');
  await page.getByRole('button', { name: /^state/ }).press('Enter');
  const held = page.getByRole('menuitemcheckbox', { name: /^Held/ });
  await expect(held).toBeVisible();
  await page.evaluate(() => {
    const { setTimeout } = window;
    const late = (run: () => void, ms = 0) => setTimeout(run, ms + 300);
    Object.assign(window, { setTimeout: late });
  });
  await held.press('Enter');
  await expect(page.getByRole('button', { name: 'Remove filter: state = Held' })).toBeFocused();
});

test('an action on a selection has a result for each lock, and skips changed holders', async ({
  page,
}) => {
  const taken = [];
  for (const place of [1, 2, 3]) {
    const held = await night.acquire({ name: `rota:${place}`, leaseMs: 600_000 });
    if (held.outcome !== 'granted') throw new Error(held.outcome);
    taken.push(held);
  }
  await openLive(page, '/?q=rota:&sort=name');
  for (const place of [1, 2, 3]) {
    await page.getByRole('checkbox', { name: `Select rota:${place}` }).click();
  }
  await page.keyboard.press('r');
  const dialog = page.getByRole('dialog', { name: 'Force release 3 locks' });
  await expect(dialog).toHaveAccessibleName('Force release 3 locks?');
  await night.release({ name: 'rota:2', token: taken[1]?.token ?? 0 });
  await night.acquire({ name: 'rota:2', leaseMs: 600_000 });
  const act = dialog.getByRole('button', { name: /^Force release 3 locks/ });
  // A lock of the same name in another namespace would look alike otherwise.
  await expect(dialog.getByRole('listitem')).toContainText(['default', 'default', 'default']);
  await expect(act).toBeDisabled();
  await dialog.getByLabel(/^Number of locks/).fill('3');
  await dialog.getByLabel(/^Reason/).fill('the night shift is over');
  const before = await dialog.boundingBox();
  await act.click();
  await expect(dialog.getByRole('status')).toHaveText('2 done, 1 not done.');
  // It is no question any more.
  await expect(dialog).toHaveAccessibleName('Force release 3 locks');
  // Its text stays where the reader looks.
  expect((await dialog.boundingBox())?.width).toBe(before?.width);
  const lines = dialog.getByRole('list', { name: 'Locks' }).getByRole('listitem');
  await expect(lines).toContainText(['released', 'not done: holder has changed', 'released']);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(cell(lockRow(page, 'rota:2'), 'state')).toContainText('Held');
  await expect(cell(lockRow(page, 'rota:1'), 'owner')).toHaveText('–');

  const clear = page.getByRole('button', { name: 'Clear', exact: true });
  await clear.click();
  await page.getByRole('checkbox', { name: 'Select rota:1' }).click();
  await page.keyboard.press('r');
  const idle = page.getByRole('dialog', { name: 'Force release: not possible' });
  await expect(idle.getByRole('listitem')).toContainText('skipped: not held');
  await expect(idle.getByRole('textbox')).toHaveCount(0);
  await idle.getByRole('button', { name: 'Close' }).click();
  await clear.click();
  const unset = page.getByRole('button', { name: /^state/ });
  await unset.press('Enter');
  await page.getByRole('menuitemcheckbox', { name: /^Held/ }).press('Enter');
  const set = page.getByRole('button', { name: 'Remove filter: state = Held' });
  await expect(set).toBeFocused();
  await set.press('Enter');
  await expect(unset).toBeFocused();

  await page.getByRole('button', { name: 'Saved views' }).click();
  await page.getByRole('menuitem', { name: 'Save this view…' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('The rota');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await openLive(page, '/?view=all');
  // The page behind a dialog is hidden from queries by role.
  const tab = page.getByRole('button', { name: 'The rota', exact: true, includeHidden: true });
  await tab.click();
  await expect(page).toHaveURL(/q=rota/);
  await expect(lockRow(page, 'rota:3')).toBeVisible();

  // A failed deletion is reported as failed, and can be retried.
  await page.route('**/api/trpc/views.delete*', (route) => route.abort(), { times: 1 });
  await page.getByRole('button', { name: 'Saved views' }).click();
  await page.getByRole('menuitem', { name: 'Edit “The rota”…' }).click();
  await page.getByRole('button', { name: 'Delete…' }).click();
  const deletion = page.getByRole('dialog', { name: /Delete the view “The rota”/ });
  await deletion.getByRole('button', { name: 'Delete view' }).click();
  await expect(deletion.getByRole('alert')).toContainText('Server not responding.');
  await expect(tab).toBeAttached();
  await deletion.getByRole('button', { name: 'Delete view' }).click();
  await expect(deletion).toHaveCount(0);
  await expect(tab).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Saved views' })).toBeFocused();
});

test('on a low screen all of the navigation is visible, on a lower one it can be scrolled', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1_366, height: 600 });
  await page.goto('/settings');
  const last = page.getByRole('navigation', { name: 'Main' }).getByRole('link').last();
  await expect(last).toHaveText('Settings');
  await expect(last).toBeInViewport({ ratio: 1 });
  await page.setViewportSize({ width: 1_366, height: 400 });
  await last.focus();
  await expect(last).toBeInViewport({ ratio: 1 });
});

test('on a phone the search fills the bar while it is used', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openLive(page, '/?view=all');
  const search = page.getByRole('searchbox');
  const account = page.getByRole('banner').getByRole('button').last();
  await expect(account).toBeVisible();
  await search.fill('shift:left-behind');
  await expect(account).toBeHidden();
  expect((await search.boundingBox())?.width).toBeGreaterThan(280);
  await search.press('Enter');
  await expect(account).toBeVisible();
});

test('on a phone a saved view is at hand, and rows have reasons while some are selected', async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await night.acquire({ name: 'pocket:1', leaseMs: 600_000 });
  await openLive(page, '/?q=pocket:');
  await page.getByRole('button', { name: 'Saved views' }).click();
  await page.getByRole('menuitem', { name: 'Save this view…' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Pocket');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await openLive(page, '/?view=all');
  await page.getByRole('button', { name: 'Pocket', exact: true }).click();
  await expect(page).toHaveURL(/q=pocket/);

  const state = cell(lockRow(page, 'pocket:1'), 'state');
  const roomy = (await state.boundingBox())?.width ?? 0;
  await page.getByRole('button', { name: 'Select', exact: true }).click();
  await page.getByRole('checkbox', { name: 'Select pocket:1' }).click();
  // Less only the check box.
  await expect.poll(async () => (await state.boundingBox())?.width).toBeGreaterThan(roomy - 45);
  const bar = page.getByRole('region', { name: 'Selection' });
  expect((await bar.boundingBox())?.height).toBeLessThan(100);
});

test('in a narrow window a key that cannot act says why', async ({ page }) => {
  await page.setViewportSize({ width: 800, height: 844 });
  const held = await night.acquire({ name: 'narrow:1', leaseMs: 600_000 });
  if (held.outcome !== 'granted') throw new Error(held.outcome);
  await night.release({ name: 'narrow:1', token: held.token });
  await openLive(page, '/?q=narrow:');
  await page.keyboard.press('j');
  await expect(lockRow(page, 'narrow:1')).toBeFocused();
  // It is shown for 3 s only.
  await expect(async () => {
    await page.keyboard.press('r');
    const note = page.getByRole('status').getByText('Not released: not held');
    await expect(note).toBeVisible({ timeout: 2_000 });
  }).toPass();
});
