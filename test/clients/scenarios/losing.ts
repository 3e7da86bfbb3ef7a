import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { forceReleaseLock } from '@/server/operations/locks/for-people/force-release-lock';
import { requestRelease } from '@/server/operations/locks/for-people/request-release';
import type { ScenarioBench, Scenarios } from '../scenario-bench';

async function forceRelease({ api, name, other }: ScenarioBench): Promise<void> {
  const { rev, holders } = await other.inspect({ name });
  const token = holders[0]?.token ?? 0;
  const act = { namespace: 'default', name, token, rev, reason: 'stuck since noon' };
  await forceReleaseLock(api.cli, act);
}

export const LOSING: Scenarios = {
  'a hold released by force is lost at the next renewal, with who and why': async (bench) => {
    const work = bench.agent.lock(bench.name, { leaseMs: 4_500 });
    const { token } = await work.begun();
    await forceRelease(bench);
    await work.aborted();
    expect(await work.ended()).toMatchObject({
      error: 'LockLost',
      token,
      cause: 'forced',
      reason: 'stuck since noon',
      by: expect.any(String),
      at: expect.any(Number),
    });
    expect(bench.proxy.of(bench.name, 'lock.release')).toHaveLength(0);
  },

  'a loss takes precedence over the error of the work, which is its cause': async (bench) => {
    const work = bench.agent.lock(bench.name, { leaseMs: 4_500, stays: true });
    await work.begun();
    await forceRelease(bench);
    await work.aborted();
    work.step();
    await work.refused();
    expect(await work.remaining()).toMatchObject({ ms: 0 });
    expect(await work.fail()).toMatchObject({ error: 'LockLost', because: 'WorkFailed' });
  },

  'a loss that only the release finds is not hidden behind finished work': async (bench) => {
    const work = bench.agent.lock(bench.name);
    await work.begun();
    await forceRelease(bench);
    expect(await work.finish()).toMatchObject({ error: 'LockLost', cause: 'forced' });
  },

  'a hold that another call with its token has released is lost': async (bench) => {
    const { agent, name } = bench;
    const work = agent.lock(name, { leaseMs: 4_500, owner: 'me' });
    const { token } = await work.begun();
    const released = await agent.call('release', { name, owner: 'me', token });
    expect(released.answer).toMatchObject({ outcome: 'released' });
    await work.aborted();
    expect(await work.ended()).toMatchObject({ error: 'LockLost', cause: 'released' });
  },

  'without answers to its renewals a hold is given up before the server ends it': async (bench) => {
    const { agent, name, proxy, other } = bench;
    const work = agent.lock(name, { leaseMs: 1_500, stays: true });
    await work.begun();
    proxy.rule = ({ procedure }) => (procedure === 'lock.renew' ? 'drop' : null);
    let expiresAt = 0;
    for (let look = 0; look < 5; look++) {
      const { ms, at } = await work.remaining();
      if (ms === 0) break;
      // Only now: after a slow start, a renewal may have been on its way when the rule began.
      const [holder] = (await other.inspect({ name })).holders;
      expiresAt = Math.max(expiresAt, holder?.expiresAt ?? 0);
      expect(at + ms).toBeLessThanOrEqual(expiresAt);
      await pause(100);
    }
    await work.aborted();
    expect(proxy.of(name, 'lock.renew').length).toBeGreaterThan(2);
    work.step();
    await work.refused();
    const ended = await work.finish();
    expect(ended).toMatchObject({ error: 'LockLost', cause: 'unrenewed' });
  },

  'renewals that hang are given up in time too, and the lock is freed in case it lives': async (
    bench,
  ) => {
    const { agent, name, proxy } = bench;
    const work = agent.lock(name, { leaseMs: 1_500 });
    await work.begun();
    proxy.rule = ({ procedure }) => (procedure === 'lock.renew' ? { replyAfterMs: 20_000 } : null);
    await work.aborted();
    expect(await work.ended()).toMatchObject({ error: 'LockLost', cause: 'unrenewed' });
    expect(proxy.of(name, 'lock.release').length).toBeGreaterThan(0);
    expect(await bench.state()).toBe('free');
  },

  'a refusal of renewals is tried again, and ends the hold only with its lease': async (bench) => {
    const { agent, name, proxy } = bench;
    const work = agent.lock(name, { leaseMs: 6_000 });
    await work.begun();
    let refusals = 0;
    const error = {
      message: 'Slow down.',
      code: -32029,
      data: { code: 'X', httpStatus: 429, reason: 'RATE_LIMITED', retryAfterMs: 60_000 },
    };
    proxy.rule = ({ procedure }) =>
      procedure === 'lock.renew' && refusals++ < 2 ? { status: 429, body: { error } } : null;
    const renewals = () => proxy.of(name, 'lock.renew').length;
    await expect.poll(renewals, { timeout: 20_000 }).toBeGreaterThan(4);
    expect(await work.finish()).toMatchObject({ result: 'result' });
  },

  'a process that was stopped beyond its lease does nothing more under it': async (bench) => {
    const { name, other } = bench;
    const agent = bench.newAgent();
    const work = agent.lock(name, { leaseMs: 2_500, stays: true });
    await work.begun();
    work.step();
    await work.stepped();
    agent.signal('SIGSTOP');
    // The next holder has it, so the lease has ended for the server as well.
    const next = await other.acquire({ name, leaseMs: 30_000, waitMs: 20_000 });
    expect(next.outcome).toBe('granted');
    work.step();
    work.step();
    agent.signal('SIGCONT');
    await work.refused();
    await work.refused();
    await work.aborted();
    expect(work.hasStepped()).toBe(false);
    expect(await work.finish()).toMatchObject({ error: 'LockLost' });
    const { holders } = await bench.inspect();
    expect(holders).toMatchObject([{ service: 'other' }]);
  },

  'a request to release reaches the work once, and the hold stays good': async (bench) => {
    const { agent, name, api } = bench;
    const work = agent.lock(name, { leaseMs: 6_000 });
    const { token } = await work.begun();
    const { rev } = await bench.inspect();
    const act = {
      namespace: 'default',
      name,
      token: token as number,
      rev,
      reason: 'a deploy waits',
    };
    await requestRelease(api.cli, 'askRelease', act);
    expect(await work.remark()).toMatchObject({ what: 'asked', reason: 'a deploy waits' });
    const renewals = () => bench.proxy.of(name, 'lock.renew').length;
    const seen = renewals();
    await expect.poll(renewals, { timeout: 20_000 }).toBeGreaterThan(seen + 1);
    expect(agent.has(work.id, 'remark')).toBe(false);
    expect(await work.finish()).toMatchObject({ result: 'result' });
  },

  'an operator who asks after another has stopped the renewals reaches the work too': async ({
    agent,
    name,
    proxy,
  }) => {
    const said = { reason: 'a deploy waits', at: 5 };
    const askedToRelease = { by: 'ben', ...said };
    proxy.rule = ({ procedure }) => {
      const isLater = proxy.of(name, procedure).length > 1;
      const expiresInMs = 3_000;
      const lease = { outcome: 'renewed', rev: 8, expiresAt: Date.now() + 3_000, expiresInMs };
      const renewalsStopped = { by: 'ana', ...said };
      const data = { ...lease, renewalsStopped, ...(isLater && { askedToRelease }) };
      return procedure === 'lock.renew' ? { status: 200, body: { result: { data } } } : null;
    };
    const work = agent.lock(name, { leaseMs: 3_000 });
    await work.begun();
    expect(await work.remark()).toMatchObject({ what: 'stopped', by: 'ana' });
    expect(await work.remark()).toMatchObject({ what: 'asked', by: 'ben' });
    expect(await work.finish()).toMatchObject({ result: 'result' });
  },

  'once its renewals are stopped a hold is believed in no longer than the server says': async ({
    agent,
    name,
    proxy,
  }) => {
    const data = {
      outcome: 'renewed',
      rev: 8,
      expiresAt: Date.now() + 900,
      expiresInMs: 900,
      renewalsStopped: { by: 'ana', reason: 'too long', at: 5 },
    };
    proxy.rule = ({ procedure }) =>
      procedure === 'lock.renew' ? { status: 200, body: { result: { data } } } : null;
    const work = agent.lock(name, { leaseMs: 3_000, stays: true });
    await work.begun();
    expect(await work.remark()).toMatchObject({ what: 'stopped', by: 'ana' });
    expect((await work.remaining()).ms).toBeLessThan(900);
    await work.fail();
  },
};
