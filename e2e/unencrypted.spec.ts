import { expectSound } from './expect-sound';
import { createPerson, expect, setUp, signIn, test } from './lockyard-test';
import { type RunningServer, startServer } from './start-server';

let server: RunningServer;
test.beforeAll(async () => {
  server = await startServer({ HOST: '0.0.0.0' });
});
test.afterAll(() => server.discard());

test('a server without TLS on a network says so at start, and on every page of an admin', async ({
  browser,
}) => {
  expect(server.output()).toMatch(/^Warning: listening on 0\.0\.0\.0 without TLS\. .*$/m);
  const admin = await setUp(server);
  const viewer = await createPerson(server, admin, 'viewer', 'vera');
  for (const [person, count] of [
    [admin, 1],
    [viewer, 0],
  ] as const) {
    const context = await browser.newContext({ viewport: { width: 390, height: 800 } });
    await signIn(context, server, person);
    const page = await context.newPage();
    for (const path of ['/', '/audit']) {
      await page.goto(server.url + path);
      await expect(page.getByRole('main')).toBeVisible();
      await expect(page.getByText('This connection is not encrypted.')).toHaveCount(count);
    }
    await expectSound(page);
    await context.close();
  }
});
