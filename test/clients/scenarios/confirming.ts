import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Fault } from '../fault-proxy';
import type { Scenarios } from '../scenario-bench';

/** Answers that are no refusal, although they say nothing of the call. */
const PASSING: Fault[] = [
  { status: 404, body: 'not here' },
  { status: 500, body: { error: { message: 'A fault.', data: { reason: 'INTERNAL' } } } },
];

/** Scenarios of how a grant is confirmed or taken back, since the previous version. */
export const CONFIRMING: Scenarios = {
  'a proof of a short lease that gets no answer is asked for again while the lease lasts': async (
    bench,
  ) => {
    const { agent, name, proxy } = bench;
    const release = await bench.occupy();
    proxy.rule = ({ procedure }) =>
      procedure === 'lock.renew' && proxy.of(name, procedure).length === 1
        ? { dropAfterMs: 20_000 }
        : null;
    const work = agent.lock(name, { leaseMs: 3_000 });
    await expect.poll(bench.waiters, { timeout: 20_000 }).toBe(1);
    // By then, less than half of the lease is certain.
    await pause(2_000);
    await release();
    await work.begun();
    expect(proxy.of(name, 'lock.acquire')).toHaveLength(1);
    await work.finish();
  },

  'a proof that is answered when its lease may be over is no loss: it is asked for again': async (
    bench,
  ) => {
    const { agent, name, proxy } = bench;
    const release = await bench.occupy();
    proxy.rule = ({ procedure }) =>
      procedure === 'lock.renew' && proxy.of(name, procedure).length === 1
        ? { replyAfterMs: 700 }
        : null;
    const work = agent.lock(name, { leaseMs: 600 });
    await expect.poll(bench.waiters, { timeout: 20_000 }).toBe(1);
    await pause(500);
    await release();
    await work.begun();
    await work.fail();
  },

  'a proof that something else answers, or a fault, is asked for again': async (bench) => {
    const { agent, name, proxy } = bench;
    const release = await bench.occupy();
    proxy.rule = ({ procedure }) =>
      procedure === 'lock.renew' ? (PASSING[proxy.of(name, procedure).length - 1] ?? null) : null;
    const work = agent.lock(name, { leaseMs: 3_000 });
    await expect.poll(bench.waiters, { timeout: 20_000 }).toBe(1);
    await pause(2_000);
    await release();
    await work.begun();
    expect(proxy.of(name, 'lock.renew').length).toBeGreaterThan(PASSING.length);
    expect(await work.finish()).toMatchObject({ result: 'result' });
  },

  'taking back a wait takes 2 s at most, although its last try begins late': async (bench) => {
    const { agent, name, proxy } = bench;
    const release = await bench.occupy();
    const work = agent.lock(name);
    await expect.poll(bench.waiters, { timeout: 20_000 }).toBe(1);
    proxy.rule = ({ procedure }) => {
      if (procedure !== 'lock.cancel') return null;
      const isFirst = proxy.of(name, procedure).length === 1;
      return isFirst ? { dropAfterMs: 1_300 } : { dropAfterMs: 10_000 };
    };
    const startedAt = performance.now();
    expect(await work.giveUp()).toMatchObject({ error: 'Abandoned' });
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    expect(proxy.of(name, 'lock.cancel')).toHaveLength(2);
    await release();
  },

  'a wait is taken back although something else answers the cancel, or a fault': async (bench) => {
    const { agent, name, proxy } = bench;
    const release = await bench.occupy();
    const work = agent.lock(name);
    await expect.poll(bench.waiters, { timeout: 20_000 }).toBe(1);
    const cancels = () => proxy.of(name, 'lock.cancel');
    proxy.rule = ({ procedure }) =>
      procedure === 'lock.cancel' ? (PASSING[cancels().length - 1] ?? null) : null;
    expect(await work.giveUp()).toMatchObject({ error: 'Abandoned' });
    expect(cancels()).toHaveLength(PASSING.length + 1);
    for (const { input } of cancels()) expect(input).toEqual(cancels()[0]?.input);
    await release();
  },
};
