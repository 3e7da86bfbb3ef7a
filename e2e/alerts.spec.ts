import { DEFAULT_ALERT_RULES } from '../server/contract/console/alerts/alert-rules';
import { expectFitting, expectSound } from './expect-sound';
import { callConsole, createService, expect, signIn, test } from './lockyard-test';
import { guardPage } from './page-guard';

test('a lease that runs out is an alert, which an operator silences for a while', async ({
  page,
  context,
  server,
  admin,
}) => {
  const faults = await guardPage(page, server.url);
  const name = 'alerts/nightly-export';
  const namespace = `alerted${'w'.repeat(56)}`;
  await callConsole(server, admin.cookie, 'namespaces.create', { name: namespace });
  const rules = { ...DEFAULT_ALERT_RULES, expiredForMs: 0 };
  const reason = 'a lease that runs out is an alert at once';
  await callConsole(server, admin.cookie, 'alerts.setRules', { namespace, rules, reason });
  const service = await createService(server, admin, 'alerted', [namespace]);
  await service.acquire({ namespace, name, leaseMs: 200 });
  await signIn(context, server, admin);
  await page.goto(`${server.url}/alerts`);
  const alert = page
    .getByRole('region', { name: 'Firing' })
    .getByRole('listitem')
    .filter({ hasText: name });
  await expect(alert).toContainText('Expired while held', { timeout: 30_000 });
  await expect(alert).toContainText('The lease of');
  await expect(page.getByRole('link', { name: /^Alerts: [1-9]\d* firing/ })).toBeVisible({
    timeout: 30_000,
  });

  await alert.getByRole('button', { name: 'Silence… ' }).click();
  const dialog = page.getByRole('dialog', { name: 'Silence alerts' });
  await expect(dialog.getByRole('textbox', { name: /^Name/ })).toHaveValue(name);
  await dialog.getByLabel('Reason').fill('the export is being moved');
  await dialog.getByRole('button', { name: 'Silence' }).click();
  await expect(alert).toContainText('silenced');
  const silence = page
    .getByRole('region', { name: 'Silences' })
    .getByRole('listitem')
    .filter({ hasText: 'the export is being moved' });
  await expect(silence).toContainText(`named ${name}`);
  await silence.getByRole('button', { name: 'End' }).press('Enter');
  await expect(silence).toHaveCount(0);
  await expect(page.getByRole('region', { name: 'Silences' })).toBeFocused();
  await expect(alert).not.toContainText('silenced');
  await expectSound(page);

  await page.goto(`${server.url}/insights`);
  await expectFitting(page);
  await page.getByRole('region', { name: 'Incidents' }).getByRole('link', { name }).click();
  await expect(page.getByRole('heading', { name })).toBeVisible();
  await expectFitting(page);
  expect(faults()).toEqual([]);
});

test('alerts and their rules are painted together', async ({ page, context, server, admin }) => {
  await signIn(context, server, admin);
  await page.route(/alerts\.rules/, (route) => route.abort());
  await page.goto(`${server.url}/alerts`);
  const rules = page.getByRole('region', { name: 'Rules' });
  await expect(rules).toContainText('Default rules:', { timeout: 5_000 });
});

test('rules that two admins change at once are saved, and nothing typed is lost', async ({
  page,
  context,
  server,
  admin,
}) => {
  const namespace = 'two-admins';
  await callConsole(server, admin.cookie, 'namespaces.create', { name: namespace });
  await signIn(context, server, admin);
  await page.goto(`${server.url}/alerts`);
  await page.getByRole('button', { name: `Change… the rules of ${namespace}` }).click();
  const dialog = page.getByRole('dialog', { name: `Alert rules for ${namespace}` });
  const stuck = dialog.getByRole('textbox', { name: /^Stuck for/ });
  await expect(dialog.getByLabel(/^Counter within/)).toHaveAccessibleName(/0 to 1,000,000,000$/);
  await stuck.fill('90s');
  await dialog.getByRole('textbox', { name: /^Reason/ }).fill('the jobs are slow in November');
  let goOn = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  await page.route(/alerts\.rules/, (route) => held.then(() => route.continue()));
  const rules = { ...DEFAULT_ALERT_RULES, expiredForMs: 7_000 };
  const reason = 'another admin was quicker';
  await callConsole(server, admin.cookie, 'alerts.setRules', { namespace, rules, reason });
  const save = dialog.getByRole('button', { name: 'Save rules' });
  await save.click();
  await expect(dialog.getByRole('alert')).toContainText('Not applied.');
  goOn();
  await expect(dialog.getByRole('alert')).toContainText('The rules changed since you opened this');
  await expect(save).toBeDisabled();
  await expectSound(page, '[role="dialog"]');
  await dialog.getByRole('button', { name: 'Use current state' }).click();
  await expect(dialog.getByRole('textbox', { name: /^Expired for/ })).toHaveValue('7s');
  await expect(stuck).toHaveValue('90s');
  await save.click();
  await expect(dialog).toBeHidden();
  const row = page.getByRole('region', { name: 'Rules' }).getByRole('listitem');
  await expect(row.filter({ hasText: namespace })).toContainText(/stuck for 90.s.*expired for 7.s/);
});
