import { expect, test } from 'vitest';
import { TEST_DIALECTS } from '@/db/testing/test-database';
import { demoToken } from '../../auth/demo-token';
import { contextOf, openTestRuntime } from '../testing/test-runtime';
import { signInToDemo } from './sign-in-to-demo';

test('the link of the demo signs in on this machine, in a demo, and nowhere else', async () => {
  const demo = await openTestRuntime('sqlite', { LOCKYARD_DEMO: '1' });
  const token = demoToken(demo.secret);
  const enterFrom = (address: string, text = token) =>
    signInToDemo(contextOf(demo, null, address), { token: text });
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
    const { session } = await enterFrom(address);
    expect(await demo.sessions.resolve(session.value)).toMatchObject({
      name: 'demo',
      role: 'admin',
    });
  }
  for (const address of ['192.0.2.1', '::ffff:10.0.0.1', '127.evil', '']) {
    await expect(enterFrom(address)).rejects.toMatchObject({
      reason: 'FORBIDDEN',
      message: expect.stringContaining('only works on the machine that runs the demo'),
    });
  }
  for (const text of [demoToken('other'), token.slice(0, -1), '']) {
    await expect(enterFrom('127.0.0.1', text)).rejects.toMatchObject({
      reason: 'FORBIDDEN',
      message: 'This is not the whole link of this demo, which it prints at its start.',
    });
  }
  await demo.close();

  const real = await openTestRuntime('sqlite');
  const ctx = contextOf(real, null, '127.0.0.1');
  await expect(signInToDemo(ctx, { token: demoToken(real.secret) })).rejects.toMatchObject({
    reason: 'NOT_FOUND',
  });
  await real.close();
});

test.each(TEST_DIALECTS)(
  'the link of the demo signs in each time it is opened at the same time on %s',
  async (dialect) => {
    const demo = await openTestRuntime(dialect, { LOCKYARD_DEMO: '1' });
    const enter = () =>
      signInToDemo(contextOf(demo, null, '127.0.0.1'), { token: demoToken(demo.secret) });
    const entered = await Promise.all([enter(), enter(), enter()]);
    expect(new Set(entered.map(({ user }) => user.id)).size).toBe(1);
    await demo.close();
  },
);
