import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { withLock } from '@/client/lockyard';
import type { Scenarios } from '../scenario-bench';

export const HOLDING: Scenarios = {
  'work runs under a hold that others see, and the lock is free afterwards': async (bench) => {
    const { agent, name } = bench;
    const work = agent.lock(name, { meta: { task: 'count €' } });
    const { token } = await work.begun();
    const { holders } = await bench.inspect();
    expect(holders).toMatchObject([{ token, service: 'agent', mode: 'exclusive' }]);
    const { row } = await bench.api.runtime.projection.detail('default', name);
    expect(row.hold?.meta).toMatchObject({ task: 'count €', pid: expect.stringMatching(/^\d+$/) });
    expect(row.hold?.meta).toMatchObject({ host: expect.any(String), version: expect.any(String) });
    expect(await work.finish()).toMatchObject({ result: 'result' });
    expect(await bench.state()).toBe('free');
  },

  'two clients never work at once: unguarded increments are exact': async (bench) => {
    const { agent, other, name } = bench;
    const file = join(bench.folder, 'counter');
    writeFileSync(file, '0');
    const ours = async () => {
      for (let round = 0; round < 20; round++) {
        await withLock(name, { client: other }, () => {
          const seen = Number(readFileSync(file, 'utf8'));
          writeFileSync(file, String(seen + 1));
        });
      }
    };
    const theirs = agent.count({ name, file, rounds: 10, workers: 4 });
    await Promise.all([ours(), theirs]);
    expect((await theirs).error).toBeUndefined();
    expect(readFileSync(file, 'utf8')).toBe('60');
  },

  'a hold outlives its first lease, renewed at a third of it': async (bench) => {
    const { agent, name, proxy, other } = bench;
    const startedAt = performance.now();
    const work = agent.lock(name, { leaseMs: 4_500 });
    const { token } = await work.begun();
    const renewals = () => proxy.of(name, 'lock.renew').length;
    await expect.poll(renewals, { timeout: 30_000 }).toBe(4);
    expect(performance.now() - startedAt).toBeGreaterThan(4_500);
    expect(await other.check({ name, token: token as number })).toEqual({ valid: true });
    expect(await work.finish()).toMatchObject({ result: 'result' });
    expect(await bench.state()).toBe('free');
    expect(proxy.of(name, 'lock.release')).toHaveLength(1);
  },

  'no more is believed of a lease than the server knows': async ({ agent, name, other }) => {
    const work = agent.lock(name, { leaseMs: 3_000 });
    await work.begun();
    for (let look = 0; look < 5; look++) {
      const [holder] = (await other.inspect({ name })).holders;
      const { ms, at } = await work.remaining();
      const [later] = (await other.inspect({ name })).holders;
      expect(ms).toBeGreaterThan(0);
      expect(ms).toBeLessThan(3_000 - 30);
      expect(at + ms).toBeLessThanOrEqual(Math.max(holder?.expiresAt ?? 0, later?.expiresAt ?? 0));
    }
    await work.finish();
  },

  'the error of the work comes through, and the lock is free': async (bench) => {
    const work = bench.agent.lock(bench.name);
    await work.begun();
    expect(await work.fail()).toMatchObject({ error: 'WorkFailed' });
    expect(await bench.state()).toBe('free');
  },

  'work asks for its own lock again without a request, and ends with it': async (bench) => {
    const { agent, name, proxy } = bench;
    const work = agent.lock(name);
    const { token } = await work.begun();
    expect(await work.nested(name, { waitMs: 0 })).toMatchObject({ token });
    expect(await work.nested(name, { waitMs: 0, mode: 'shared' })).toMatchObject({ token });
    expect(proxy.of(name, 'lock.acquire')).toHaveLength(1);
    expect(proxy.of(name, 'lock.release')).toHaveLength(0);
    const own = await work.nested(name, { waitMs: 0, ownHold: true });
    expect(own).toMatchObject({ error: 'LockTimeout' });
    const elsewhere = await work.nested(`${name} 2`, { waitMs: 0 });
    expect(elsewhere.token).toBeGreaterThan(0);
    await work.finish();
    expect(await bench.state()).toBe('free');
  },

  'exclusive within shared is refused at once, since it would wait for itself': async (bench) => {
    const work = bench.agent.lock(bench.name, { mode: 'shared' });
    await work.begun();
    const inner = await work.nested(bench.name, { waitMs: 0 });
    expect(inner).toMatchObject({ error: 'LockUpgradeRefused' });
    expect(await work.finish()).toMatchObject({ result: 'result' });
  },

  'an owner may enter again, and its outer hold survives the inner release': async (bench) => {
    const work = bench.agent.lock(bench.name, { reentrant: true });
    const { token } = await work.begun();
    const again = { waitMs: 0, ownHold: true, reentrant: true };
    expect(await work.nested(bench.name, again)).toMatchObject({ token });
    expect(await bench.state()).toBe('held');
    await work.finish();
    expect(await bench.state()).toBe('free');
  },

  'shared holds live together, and so do permits up to the capacity': async ({ agent, name }) => {
    for (const mode of [{ mode: 'shared' }, { mode: 'permit', permits: 2, capacity: 4 }]) {
      const lock = `${name} ${mode.mode}`;
      const works = [agent.lock(lock, mode), agent.lock(lock, mode)];
      for (const work of works) await work.begun();
      const third = agent.lock(lock, { waitMs: 0 });
      expect(await third.ended()).toMatchObject({ error: expect.any(String) });
      if (mode.capacity) {
        const misfit = agent.lock(lock, { ...mode, capacity: 9 });
        expect(await misfit.ended()).toMatchObject({ reason: 'INVALID', capacity: 4 });
      }
      for (const work of works) expect(await work.finish()).toMatchObject({ result: 'result' });
    }
  },

  'a lock that is held at least for a while stays taken after the work': async (bench) => {
    const work = bench.agent.lock(bench.name, { holdAtLeastMs: 60_000 });
    await work.begun();
    expect(await work.finish()).toMatchObject({ result: 'result' });
    const { holders } = await bench.inspect();
    expect(holders[0]?.releasedAt).toBeGreaterThan(0);
  },

  'every procedure of the service API can be called': async ({ agent, name }) => {
    const counter = { name, initial: 3, floor: 0, ceiling: 3 };
    expect((await agent.call('createCounter', counter)).answer).toEqual({ outcome: 'created' });
    const taken = await agent.call('addToCounter', { name, delta: -1, requestId: 'r1' });
    expect(taken.answer).toMatchObject({ outcome: 'applied', value: 2 });
    const again = await agent.call('addToCounter', { name, delta: -1, requestId: 'r1' });
    expect(again.answer).toMatchObject({ outcome: 'applied', value: 2 });
    const full = await agent.call('addToCounter', { name, delta: 2 });
    expect(full.answer).toMatchObject({ outcome: 'outOfBounds', value: 2, ceiling: 3 });
    const read = await agent.call('getCounter', { name });
    expect(read.answer).toMatchObject({ value: 2, floor: 0, ceiling: 3 });
    const none = await agent.call('getCounter', { name: `${name} none` });
    expect(none).toMatchObject({ error: 'LockyardError', reason: 'NOT_FOUND' });
    expect(none.requestId).toEqual(expect.any(String));
    const free = await agent.call('inspect', { name });
    expect(free.answer).toMatchObject({ state: 'free', holders: [], waiters: [] });
    const check = await agent.call('check', { name, token: 7 });
    expect(check.answer).toEqual({ valid: false });
  },
};
