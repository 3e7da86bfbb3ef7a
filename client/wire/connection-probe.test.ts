import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openFullPort } from '@/test/clients/full-port';
import { LockyardClient } from '../lockyard-client';
import { granted, outcomeOf, scriptedBench } from '../testing/scripted-bench';
import { withLock } from '../with-lock';

const bench = scriptedBench();

const DISPATCHERS = [2, 1].map((version) => Symbol.for(`undici.globalDispatcher.${version}`));

interface Dispatcher {
  dispatch(request: object, handler: object): boolean;
}

test('a server that the process reaches through a proxy is not probed directly', async () => {
  const { server, url } = bench;
  // The first request creates the dispatcher.
  await fetch(`${url}/api/health/live`);
  const shared = globalThis as unknown as Record<symbol, Dispatcher | undefined>;
  const before = DISPATCHERS.map((key) => [key, shared[key]] as const);
  const direct = before.find(([, dispatcher]) => dispatcher)?.[1];
  class ProxyAgent {
    dispatch = (request: object, handler: object) =>
      direct?.dispatch({ ...request, origin: url }, handler) ?? false;
  }
  const unreachable = await openFullPort();
  for (const key of DISPATCHERS) shared[key] = new ProxyAgent();
  try {
    const client = new LockyardClient({ url: unreachable.url, apiKey: 'k' });
    const taken = outcomeOf(withLock('job', { client, waitMs: 0 }, (hold) => hold.token));
    const call = await server.next('lock.acquire');
    // Longer than the time limit for a connection.
    await sleep(1_200);
    call.answer(granted());
    (await server.next('lock.release')).answer({ outcome: 'released' });
    expect(await taken).toBe(41);
  } finally {
    for (const [key, dispatcher] of before) shared[key] = dispatcher;
    unreachable.close();
  }
});
