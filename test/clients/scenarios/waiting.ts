import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { setFrozen } from '@/server/operations/locks/for-people/set-frozen';
import type { Scenarios } from '../scenario-bench';

export const WAITING: Scenarios = {
  'a waiter gets the lock when it is released, by the answer to its first request': async (
    bench,
  ) => {
    const release = await bench.occupy();
    const work = bench.agent.lock(bench.name);
    await expect.poll(bench.waiters, { timeout: 20_000 }).toBe(1);
    expect(work.hasBegun()).toBe(false);
    await release();
    const { waitedMs } = await work.begun();
    expect(waitedMs).toBeGreaterThan(0);
    expect(bench.proxy.of(bench.name, 'lock.acquire')).toHaveLength(1);
    await work.finish();
  },

  'a wait over several requests keeps its id and its place': async (bench) => {
    const { agent, name, proxy } = bench;
    const engine = bench.api.runtime.engines.get('default');
    if (!engine) throw new Error('no engine');
    const acquire = engine.acquire;
    engine.acquire = (key, ask, wait) =>
      acquire.call(engine, key, ask, { ...wait, holdRequestMs: 300 });
    try {
      const release = await bench.occupy();
      const first = agent.lock(name);
      await expect.poll(bench.waiters, { timeout: 20_000 }).toBe(1);
      const [{ ticket } = { ticket: 0 }] = (await bench.inspect()).waiters;
      const second = agent.lock(name);
      const asked = () => proxy.of(name, 'lock.acquire').map(({ input }) => input.requestId);
      await expect.poll(() => asked().length, { timeout: 20_000 }).toBeGreaterThan(6);
      expect((await bench.inspect()).waiters[0]).toMatchObject({ ticket, place: 1 });
      expect(new Set(asked()).size).toBe(2);
      await release();
      await first.begun();
      expect(second.hasBegun()).toBe(false);
      await first.finish();
      await second.begun();
      await second.finish();
    } finally {
      engine.acquire = acquire;
    }
  },

  'patience ends in a LockTimeout that names the holder, and the queue is left': async (bench) => {
    const release = await bench.occupy();
    for (const waitMs of [0, 300]) {
      const ended = await bench.agent.lock(bench.name, { waitMs }).ended();
      expect(ended).toMatchObject({ error: 'LockTimeout', holders: [{ service: 'other' }] });
    }
    expect(await bench.waiters()).toBe(0);
    await release();
  },

  'a caller that gives up leaves the queue before its call ends': async (bench) => {
    const release = await bench.occupy();
    const work = bench.agent.lock(bench.name);
    await expect.poll(bench.waiters, { timeout: 20_000 }).toBe(1);
    expect(await work.giveUp()).toMatchObject({ error: 'Abandoned' });
    expect(await bench.waiters()).toBe(0);
    await release();
    expect(await bench.state()).toBe('free');
  },

  'a wait without end goes on for ever, and ends when its caller gives up': async (bench) => {
    const release = await bench.occupy();
    const work = bench.agent.lock(bench.name, { waitMs: null });
    await expect.poll(bench.waiters, { timeout: 20_000 }).toBe(1);
    expect(await work.giveUp()).toMatchObject({ error: 'Abandoned' });
    expect(await bench.waiters()).toBe(0);
    await release();
  },

  'a frozen lock says why to a caller that would not wait': async (bench) => {
    const { agent, name, api } = bench;
    const act = { namespace: 'default', name, reason: 'a repair', rev: 0 };
    await setFrozen(api.cli, 'freeze', act);
    const ended = await agent.lock(name, { waitMs: 0 }).ended();
    expect(ended).toMatchObject({ error: 'LockTimeout', frozen: 'a repair' });
    const work = agent.lock(name);
    await expect.poll(bench.waiters, { timeout: 20_000 }).toBe(1);
    await setFrozen(api.cli, 'unfreeze', act);
    await work.begun();
    await work.finish();
  },

  'a full queue is asked again after a pause, with the same id, until patience ends': async ({
    agent,
    name,
    proxy,
  }) => {
    const full = { outcome: 'queueFull', queueLength: 200, retryAfterMs: 100 };
    proxy.rule = ({ procedure }) =>
      procedure === 'lock.acquire' && proxy.of(name, procedure).length <= 3
        ? { status: 200, body: { result: { data: full } } }
        : null;
    const work = agent.lock(name);
    await work.begun();
    await work.finish();
    const ids = proxy.of(name, 'lock.acquire').map(({ input }) => input.requestId);
    expect(ids).toHaveLength(4);
    expect(new Set(ids).size).toBe(1);
    proxy.rule = ({ procedure }) =>
      procedure === 'lock.acquire' ? { status: 200, body: { result: { data: full } } } : null;
    const ended = await agent.lock(name, { waitMs: 400 }).ended();
    expect(ended).toMatchObject({ error: 'LockTimeout', queueLength: 200 });
  },

  'a grant whose answer comes late is proven by a renewal before the work begins': async ({
    agent,
    name,
    proxy,
  }) => {
    proxy.rule = ({ procedure }) => (procedure === 'lock.acquire' ? { replyAfterMs: 1_300 } : null);
    const work = agent.lock(name, { leaseMs: 2_000 });
    await work.begun();
    expect(proxy.of(name, 'lock.renew').length).toBeGreaterThan(0);
    await work.finish();
  },

  'a grant that is over when its answer comes is asked for again, with another id': async ({
    agent,
    name,
    proxy,
  }) => {
    proxy.rule = ({ procedure }) =>
      procedure === 'lock.acquire' && proxy.of(name, procedure).length === 1
        ? { replyAfterMs: 1_500 }
        : null;
    const work = agent.lock(name, { leaseMs: 500 });
    await work.begun();
    const ids = proxy.of(name, 'lock.acquire').map(({ input }) => input.requestId);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(2);
    await work.finish();
  },

  'a server that answers queued at once, since it shuts down, is not besieged': async (bench) => {
    const { agent, name, proxy } = bench;
    const answer = { outcome: 'queued', ticket: 1, place: 1, patienceLeftMs: 50_000 };
    proxy.rule = ({ procedure }) =>
      procedure === 'lock.acquire' ? { status: 200, body: { result: { data: answer } } } : null;
    const work = agent.lock(name);
    await pause(1_000);
    expect(proxy.of(name, 'lock.acquire').length).toBeLessThan(12);
    proxy.rule = () => null;
    await work.begun();
    await work.finish();
  },
};
