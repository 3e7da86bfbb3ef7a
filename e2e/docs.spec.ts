import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expectSound } from './expect-sound';
import { createKey, expect, signIn, test } from './lockyard-test';
import { guardPage } from './page-guard';

const run = promisify(execFile);

test('the API reference is public and usable on any screen or theme without other servers', async ({
  page,
  server,
}) => {
  // A long page, checked three times.
  test.slow();
  const faults = await guardPage(page, server.url);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.goto('/docs');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Lockyard service API');
  const described = (await (await fetch(`${server.url}/api/v1/openapi.json`)).json()) as {
    paths: object;
  };
  for (const path of Object.keys(described.paths)) {
    await expect(page.getByRole('heading', { name: path.slice(1), exact: true })).toBeVisible();
  }
  // From this width on there is a second column.
  await page.setViewportSize({ width: 1100, height: 900 });
  const excess = () =>
    page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  await expect.poll(excess).toBeLessThanOrEqual(0);
  await expectSound(page);
  expect(faults()).toEqual([]);
});

test('every part of the page that a link names exists', async ({ page }) => {
  await page.goto('/docs');
  const lost = await page.$$eval('a[href^="#"]', (links) =>
    links
      .map((link) => link.getAttribute('href') ?? '')
      .filter((href) => document.getElementById(href.slice(1)) === null),
  );
  expect(lost).toEqual([]);
});

test('a curl line copied from the page acquires a lock', async ({
  page,
  server,
  admin,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto('/docs');
  await page
    .getByRole('button', { name: 'Copy curl command for lock.acquire', exact: true })
    .click();
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible();
  const line = await page.evaluate(() => navigator.clipboard.readText());
  const key = await createKey(server, admin, 'reader');
  const { stdout } = await run('bash', ['-c', line], {
    env: { ...process.env, LOCKYARD_API_KEY: key },
  });
  expect(JSON.parse(stdout)).toMatchObject({ result: { data: { outcome: 'granted' } } });
});

test('the console leads to it and back', async ({ page, server, admin, context }) => {
  await signIn(context, server, admin);
  await page.goto('/');
  await page.getByRole('link', { name: 'API', exact: true }).click();
  // It is a long page, and the address changes when all of it is there.
  await expect(page).toHaveURL(`${server.url}/docs`, { timeout: 30_000 });
  await page.getByRole('link', { name: 'Console' }).click();
  await expect(page).toHaveURL(`${server.url}/`);
});
