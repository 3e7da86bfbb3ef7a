import { expect, test } from 'vitest';
import { granted, scriptedBench } from '../../testing/scripted-bench';
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
