import { expect, test } from 'vitest';
import { granted, outcomeOf, scriptedBench } from '../../testing/scripted-bench';
import { until } from '../../testing/test-clock';
import { LockTools } from './lock-tools';

const bench = scriptedBench();

test('a lease that ended while the process was stopped is not taken for a hold', async () => {
  const { client, server, clock } = bench;
  const tools = new LockTools(client);
  const acquire = tools.all.find(({ name }) => name === 'acquire_lock');
  const ask = () => acquire?.call({ name: 'job', purpose: 'try' }, new AbortController().signal);
  const first = ask();
  (await server.next('lock.acquire')).answer(granted());
  expect(await first).toMatchObject({ outcome: 'granted', token: 41 });
  expect(await ask()).toMatchObject({ outcome: 'alreadyMine', token: 41 });
  clock.freeze(60_000);
  const mine = tools.all.find(({ name }) => name === 'my_locks');
  expect(await mine?.call({}, new AbortController().signal)).toEqual({ locks: [] });
  const again = ask();
  (await server.next('lock.acquire')).answer(granted({ token: 42 }));
  expect(await again).toMatchObject({ outcome: 'granted', token: 42 });
});

test.each([
  ['list_locks', 'lock.list', {}],
  ['inspect_lock', 'lock.inspect', { name: 'job' }],
])('a call of %s that is cancelled ends without its answer', async (tool, procedure, input) => {
  const { client, server } = bench;
  const cancelled = new AbortController();
  const called = new LockTools(client).all.find(({ name }) => name === tool);
  const answer = outcomeOf(Promise.resolve(called?.call(input, cancelled.signal)));
  const call = await server.next(procedure);
  cancelled.abort();
  await until(() => call.isHungUp);
  expect(await answer).toBe(cancelled.signal.reason);
});
