import type { Page } from 'playwright/test';
import { expect, signIn, test } from './lockyard-test';

/** Every request that asks for the namespaces, also together with others. */
const NAMESPACES = /\/api\/trpc\/[^?]*namespaces\.list/;

const dialog = (page: Page) => page.getByRole('dialog');

test.beforeEach(({ page, server, admin }) => signIn(page.context(), server, admin));

test('a form dialog closes once its act is done, however long the list takes to load again', async ({
  page,
}) => {
  await page.goto('/namespaces');
  await page.getByRole('button', { name: 'New namespace…' }).click();
  await dialog(page).getByRole('textbox', { name: /^Name/ }).fill('slow-list');
  let goOn = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  await page.route(NAMESPACES, (route) => held.then(() => route.continue()));
  await dialog(page).getByRole('button', { name: 'Create namespace' }).click();
  await expect(dialog(page)).toBeHidden({ timeout: 3_000 });
  goOn();
  await expect(page.getByRole('row', { name: /slow-list/ })).toBeVisible();
});

test('a dialog that offers one namespace alone says that the others could not be loaded', async ({
  page,
}) => {
  await page.route(NAMESPACES, (route) => route.abort());
  await page.goto('/counters');
  await page.getByRole('button', { name: 'New counter…' }).click();
  const choice = dialog(page).getByRole('combobox', { name: 'Namespace' });
  await expect(choice).toHaveAccessibleDescription('The other namespaces could not be loaded');
  await expect(choice).toHaveValue('default');
  await page.unroute(NAMESPACES);
  await expect(choice).toHaveAccessibleDescription('');
});
