import { openPage } from './locks-page';
import { createService, expect, signIn, test } from './lockyard-test';
import { guardPage } from './page-guard';

/** Not the server's zone: times painted by the server in its own zone would be wrong. */
test.use({ timezoneId: 'Asia/Tokyo' });

const NAME = 'zone/nightly';

test('in a browser in another time zone every page is hydrated as it was painted', async ({
  page,
  context,
  server,
  admin,
}) => {
  const faults = await guardPage(page, server.url);
  const service = await createService(server, admin, 'zone');
  const answer = await service.acquire({ name: NAME, leaseMs: 60_000 });
  if (answer.outcome !== 'granted') throw new Error(answer.outcome);
  await service.release({ name: NAME, token: answer.token });
  await signIn(context, server, admin);
  const lock = `${server.url}/locks/default/${encodeURIComponent(NAME)}`;
  await page.goto(lock);
  const charts = page.getByRole('region', { name: 'Wait and hold times' });
  await charts.getByText('Show as table').click();
  await expect(charts.getByRole('region', { name: 'Chart data' }).getByRole('row')).toHaveCount(2);

  const past = `at=${Date.now()}`;
  const lists = ['/', '/holders', '/waits', '/counters', '/insights'];
  const others = ['/alerts', '/audit', '/backends', '/namespaces', '/lab', '/settings'];
  const sections = ['keys', 'people'].map((name) => `/settings?section=${name}`);
  const addresses = [...lists, ...lists.map((path) => `${path}?${past}`), ...others, ...sections];
  for (const path of addresses) {
    await openPage(page, `${server.url}${path}`);
    expect(faults(), path).toEqual([]);
  }
  for (const query of ['', '?range=7d', `?${past}`]) {
    await openPage(page, `${lock}${query}`);
    expect(faults(), query).toEqual([]);
  }
});

test('an entry of yesterday shows its day even on a page that was opened yesterday', async ({
  page,
  context,
  server,
  admin,
}) => {
  await signIn(context, server, admin);
  await page.clock.install();
  await openPage(page, `${server.url}/audit`);
  const time = page.getByRole('row').nth(1).locator('time').first();
  await expect(time).toHaveText(/^\d\d:\d\d:\d\d$/);
  await page.clock.fastForward('25:00:00');
  await expect(time).toHaveText(/^\d+ [A-Z][a-z]+\s\d\d:\d\d$/);
});
