import { expect, test } from 'vitest';
import { granted, heldWork, outcomeOf, scriptedBench } from '../testing/scripted-bench';
import { until } from '../testing/test-clock';
import { withLock } from '../with-lock';

const bench = scriptedBench();

test.each([undefined, null, 'soon'])(
  'a renewal for %j ms keeps no hold alive',
  async (expiresInMs) => {
    const { client, clock, server } = bench;
    const work = heldWork();
    const ended = outcomeOf(withLock('job', { client }, work.run));
    (await server.next('lock.acquire')).answer(granted());
    await work.started();
    clock.advance(10_000);
    const renewal = await server.next('lock.renew');
    renewal.answer({ outcome: 'renewed', rev: 8, expiresAt: 1_700_000_040_000, expiresInMs });
    await until(() => clock.nextDueMs === 50);
    expect(work.remainingMs()).toBe(30_000 - 302 - 10_000);
    clock.freeze(20_000);
    clock.advance(0);
    await until(() => work.isAborted);
    work.finish('late');
    (await server.next('lock.release')).answer({ outcome: 'released' });
    expect(await ended).toMatchObject({ name: 'LockLost', loss: { cause: 'unrenewed' } });
  },
);

test('a grant without the end of its lease starts no work, and is requested again', async () => {
  const { client, clock, server } = bench;
  const work = heldWork();
  const ended = outcomeOf(withLock('job', { client }, work.run));
  const { expiresInMs: _, ...timeless } = granted();
  const first = await server.next('lock.acquire');
  first.answer(timeless);
  await until(() => clock.nextDueMs === 50);
  expect(work.hasStarted).toBe(false);
  clock.advance(50);
  const again = await server.next('lock.acquire');
  expect(again.input.requestId).toBe(first.input.requestId);
  again.answer(granted());
  await work.started();
  work.finish('done');
  (await server.next('lock.release')).answer({ outcome: 'released' });
  expect(await ended).toBe('done');
});
