import type { Page } from 'playwright/test';
import { expectSound } from './expect-sound';
import { openLive } from './locks-page';
import { callConsole, createService, expect, type Person, signIn, test } from './lockyard-test';
import type { RunningServer } from './start-server';

test.beforeAll(async ({ server, admin }) => {
  const service = await createService(server, admin, 'viewed');
  for (const name of ['rota:1', 'rota:2']) await service.acquire({ name, leaseMs: 600_000 });
});
test.beforeEach(({ context, server, admin }) => signIn(context, server, admin));

const dialog = (page: Page) => page.getByRole('dialog');
const nameField = (page: Page) => dialog(page).getByRole('textbox', { name: 'Name' });
// The page behind a dialog is hidden from queries by role.
const tab = (page: Page, name: string) =>
  page.getByRole('button', { name, exact: true, includeHidden: true });
const save = (page: Page) => dialog(page).getByRole('button', { name: 'Save', exact: true });

async function choose(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: 'Saved views' }).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}

/** Saves a view, in place of an earlier one of that name, and returns its id. */
async function saveView(
  server: RunningServer,
  { cookie }: Person,
  name: string,
  query: string,
): Promise<string> {
  const { data } = await callConsole(server, cookie, 'views.save', { name, query });
  return (data as { id: string }).id;
}

test('a saved view is renamed, and gets the filters that the list has now', async ({
  page,
  server,
  admin,
}) => {
  await saveView(server, admin, 'The rota', 'view=all&q=rota');
  await saveView(server, admin, 'Other', 'view=all&q=other');
  await openLive(page, '/?view=all');
  await choose(page, 'Edit “The rota”…');
  await expectSound(page, '[role="dialog"]');
  await nameField(page).fill('Other');
  await save(page).click();
  await expect(dialog(page).getByRole('alert')).toContainText(
    'Another of your views is named "Other".',
  );
  await nameField(page).fill('Shifts');
  await save(page).click();
  await expect(dialog(page)).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Saved views' })).toBeFocused();
  await expect(tab(page, 'The rota')).toHaveCount(0);

  // Its filters are those that were saved until they are replaced.
  await tab(page, 'Shifts').click();
  await expect(page).toHaveURL(/q=rota/);
  await page.getByRole('searchbox').fill('rota:2');
  await expect(tab(page, 'Shifts')).toHaveAttribute('aria-pressed', 'false');
  await choose(page, 'Save changes to “Shifts”…');
  const replaces = dialog(page).getByRole('checkbox', { name: /^Replace its filters/ });
  await expect(replaces).toBeChecked();
  await expect(dialog(page)).toContainText('Saved: contains “rota”; by severity');
  await expect(dialog(page)).toContainText('List: contains “rota:2”; by severity');
  await save(page).click();
  await expect(tab(page, 'Shifts')).toHaveAttribute('aria-pressed', 'true');
  await openLive(page, '/?view=all');
  await tab(page, 'Shifts').click();
  await expect(page).toHaveURL(/q=rota%3A2/);
  await page.getByRole('button', { name: 'Saved views' }).click();
  await expect(page.getByRole('menuitem', { name: /^Save changes/ })).toHaveCount(0);
});

test('a view that was changed or deleted elsewhere is not overwritten', async ({
  page,
  server,
  admin,
}) => {
  const id = await saveView(server, admin, 'Shared', 'view=all&q=first');
  await openLive(page, '/?view=all');
  await choose(page, 'Edit “Shared”…');
  await saveView(server, admin, 'Shared', 'view=all&q=second');
  await nameField(page).fill('Mine');
  await save(page).click();
  const note = dialog(page).getByRole('alert');
  await expect(note).toContainText('Not applied. The view changed since you opened this.');
  await expect(note).toContainText('contains “second”');
  await note.getByRole('button', { name: 'Use current state' }).click();
  await callConsole(server, admin.cookie, 'views.delete', { id });
  await save(page).click();
  await expect(note).toContainText('This view was deleted meanwhile.');
  await page.keyboard.press('Escape');
  await expect(tab(page, 'Shared')).toHaveCount(0);
});
