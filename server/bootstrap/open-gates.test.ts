import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPrivateRedis } from '@/scripts/servers/private-redis.mjs';
import type { LockEngine } from '../engine/lock-engine';
import type { ControlRuntime } from '../operations/operation-context';
import { systemClock } from '../platform/clock';
import { openGates } from './open-gates';

let redis: Awaited<ReturnType<typeof startPrivateRedis>>;
beforeAll(async () => {
  redis = await startPrivateRedis();
});
afterAll(() => redis?.stop());

test('two gates of one backend over one Redis both keep working', async () => {
  const control = {
    config: { gates: ['a', 'b'].map((id) => ({ id, url: redis.url })) },
    clock: systemClock,
    log: pino({ level: 'silent' }),
    namespaces: { policyOf: (namespace: string) => ({ gate: namespace }) },
    secret: 'the secret of a test',
  } as unknown as ControlRuntime;
  const gates = openGates(control, 'p1');
  gates.inFrontOf({ backend: 'default' } as LockEngine);
  const [a, b] = ['a', 'b'].map((namespace) => gates.of('default', namespace));
  const look = (namespace: string) =>
    gates.of('default', namespace)?.look({ namespace, name: 'stock' });
  for (const one of ['a', 'b']) {
    await expect.poll(() => look(one), { timeout: 10_000 }).not.toBeNull();
  }
  const failures = () => [a, b].map((gate) => gate?.client.tally.failures);
  const before = failures();
  for (let i = 0; i < 50; i += 1) {
    await look('a');
    await look('a');
    await look('b');
  }
  expect(failures()).toEqual(before);
  gates.close();
});
