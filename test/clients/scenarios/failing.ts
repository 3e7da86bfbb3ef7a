import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { FaultProxy } from '../fault-proxy';
import { openFullPort } from '../full-port';
import type { Scenarios } from '../scenario-bench';

export const FAILING: Scenarios = {
  'a client whose replies are lost is granted once, renewed, and releases once': async (bench) => {
    const { agent, name, proxy } = bench;
    const lost = new Map<string, number>();
    proxy.rule = ({ procedure, input }) => {
      const count = lost.get(procedure) ?? 0;
      if (input.name !== name || count === 2) return null;
      lost.set(procedure, count + 1);
      return 'lose reply';
    };
    const work = agent.lock(name, { leaseMs: 6_000 });
    const { token } = await work.begun();
    const renewals = () => proxy.of(name, 'lock.renew').length;
    await expect.poll(renewals, { timeout: 20_000 }).toBe(3);
    expect((await bench.inspect()).holders).toMatchObject([{ token, holdCount: 1 }]);
    expect(await work.finish()).toMatchObject({ result: 'result' });
    for (const procedure of ['lock.acquire', 'lock.release']) {
      const asked = proxy.of(name, procedure);
      expect(asked).toHaveLength(3);
      for (const { input } of asked) expect(input).toEqual(asked[0]?.input);
    }
    const [asked] = proxy.of(name, 'lock.acquire');
    const [released] = proxy.of(name, 'lock.release');
    expect(released?.input.requestId).not.toBe(asked?.input.requestId);
    expect(await bench.inspect()).toMatchObject({ state: 'free', waiters: [] });
  },

  'requests that never arrive, and answers of something else, are tried again': async (bench) => {
    const { agent, name, proxy } = bench;
    proxy.rule = ({ procedure }) => {
      const tries = proxy.of(name, procedure).length;
      return tries === 1 ? 'drop' : tries === 2 ? 'garbage' : null;
    };
    const work = agent.lock(name);
    await work.begun();
    expect(await work.finish()).toMatchObject({ result: 'result' });
    expect(proxy.of(name, 'lock.acquire')).toHaveLength(3);
  },

  'finished work is reported as such when its release gets no answer': async (bench) => {
    const { agent, name, proxy } = bench;
    const work = agent.lock(name, { leaseMs: 1_500 });
    await work.begun();
    proxy.rule = ({ procedure }) => (procedure === 'lock.release' ? 'drop' : null);
    const ended = await work.finish();
    expect(ended).toMatchObject({ error: 'ReleaseUnconfirmed', result: 'result' });
    expect(ended.because).toBe('LockyardError');
  },

  'the error of the work comes before a release without an answer': async (bench) => {
    const { agent, name, proxy } = bench;
    const work = agent.lock(name, { leaseMs: 1_500 });
    await work.begun();
    proxy.rule = ({ procedure }) => (procedure === 'lock.release' ? 'drop' : null);
    expect(await work.fail()).toMatchObject({ error: 'WorkFailed' });
  },

  'trying to acquire ends with the budget, and what is unsure is taken back': async (bench) => {
    const { agent, name, proxy } = bench;
    proxy.rule = ({ procedure }) => (procedure === 'lock.acquire' ? 'lose reply' : null);
    const ended = await agent.lock(name, { waitMs: 0 }).ended();
    expect(ended).toMatchObject({ error: 'LockyardError', reason: 'UNKNOWN' });
    await expect.poll(bench.state, { timeout: 20_000 }).toBe('free');
    expect(proxy.of(name, 'lock.cancel').length).toBeGreaterThan(0);
  },

  'a caller that gives up while its lock is being released has it released all the same': async (
    bench,
  ) => {
    const { agent, name, proxy } = bench;
    const work = agent.lock(name);
    await work.begun();
    const releases = () => proxy.of(name, 'lock.release').length;
    proxy.rule = ({ procedure }) =>
      procedure === 'lock.release' && releases() < 4 ? 'drop' : null;
    const ended = work.finish();
    await expect.poll(releases, { timeout: 20_000 }).toBeGreaterThan(0);
    agent.send({ do: 'giveUp', id: work.id });
    expect(await ended).toMatchObject({ result: 'result' });
    expect(await bench.state()).toBe('free');
  },

  'a hold survives the restart of the server': async (bench) => {
    const { agent, name, proxy } = bench;
    const work = agent.lock(name, { leaseMs: 6_000 });
    const { token } = await work.begun();
    await bench.restart();
    const renewals = () => proxy.of(name, 'lock.renew').length;
    const seen = renewals();
    await expect.poll(renewals, { timeout: 20_000 }).toBeGreaterThan(seen + 1);
    const { answer } = await agent.call('inspect', { name });
    expect(answer).toMatchObject({ holders: [{ token }] });
    expect(await work.finish()).toMatchObject({ result: 'result' });
    expect((await agent.call('inspect', { name })).answer).toMatchObject({ state: 'free' });
  },

  'without a server a call that would not wait ends, and says that nothing was done': async ({
    agent,
    name,
    key,
    nowhere,
  }) => {
    const client = { url: nowhere, apiKey: key };
    const ended = await agent.lock(name, { waitMs: 0 }, client).ended();
    expect(ended).toMatchObject({ reason: 'BACKEND_DOWN', isUnreachable: true });
    const called = await agent.call('getCounter', { name }, client);
    expect(called).toMatchObject({ reason: 'BACKEND_DOWN', isUnreachable: true });
  },

  'of several addresses none of which accepts a call, each has its part of one second': async ({
    agent,
    name,
    key,
  }) => {
    const full = [await openFullPort(), await openFullPort()];
    try {
      const client = { url: full.map(({ url }) => url).join(), apiKey: key };
      // So that the start of the agent does not count, where this scenario runs alone.
      await agent.call('inspect', { name });
      const startedAt = performance.now();
      const ended = await agent.lock(name, { waitMs: 0 }, client).ended();
      expect(ended).toMatchObject({ error: 'LockyardError', isUnreachable: true });
      expect(performance.now() - startedAt).toBeLessThan(1_900);
    } finally {
      for (const port of full) port.close();
    }
  },

  'of several addresses the next is asked when one is gone, and the hold goes on there': async (
    bench,
  ) => {
    const { agent, name, proxy, key, api } = bench;
    const going = await FaultProxy.start(api.url);
    const client = { url: `${bench.nowhere}, ${going.url}/,${proxy.url}`, apiKey: key };
    const work = agent.lock(name, { leaseMs: 6_000 }, client);
    await work.begun();
    expect(going.of(name, 'lock.acquire')).toHaveLength(1);
    await going.close();
    const renewals = () => proxy.of(name, 'lock.renew').length;
    await expect.poll(renewals, { timeout: 20_000 }).toBeGreaterThan(1);
    expect(await work.finish()).toMatchObject({ result: 'result' });
    expect(proxy.of(name, 'lock.release')).toHaveLength(1);
  },

  'of several addresses one that falls silent is left, and the wait goes on elsewhere': async (
    bench,
  ) => {
    const { agent, name, proxy, key, api } = bench;
    const release = await bench.occupy();
    const silent = await FaultProxy.start(api.url);
    silent.rule = () => ({ replyAfterMs: 100_000 });
    const client = { url: `${silent.url},${proxy.url}`, apiKey: key };
    const work = agent.lock(name, {}, client);
    await expect.poll(() => proxy.of(name, 'lock.acquire').length, { timeout: 20_000 }).toBe(1);
    await release();
    await work.begun();
    await work.finish();
    await silent.close();
  },

  'of several addresses one that falls silent is left by all who wait there': async (bench) => {
    const { agent, name, proxy, key, api } = bench;
    const silent = await FaultProxy.start(api.url);
    silent.rule = () => ({ replyAfterMs: 100_000 });
    const client = { url: `${silent.url},${proxy.url}`, apiKey: key };
    const names = Array.from({ length: 8 }, (_, at) => `${name} ${at}`);
    const works = names.map((each) => agent.lock(each, {}, client));
    const here = () => names.filter((each) => proxy.of(each, 'lock.acquire').length > 0).length;
    await expect.poll(here, { timeout: 15_000 }).toBe(names.length);
    for (const work of works) await work.begun();
    for (const work of works) await work.finish();
    await silent.close();
  },

  'refusals that will not change are reported at once': async ({ agent, name, proxy }) => {
    const wrongKey = { url: proxy.url, apiKey: 'no-key' };
    const unknown = await agent.lock(name, {}, wrongKey).ended();
    expect(unknown).toMatchObject({ error: 'LockyardError', reason: 'UNAUTHENTICATED' });
    const forbidden = await agent.lock(name, { namespace: 'elsewhere' }).ended();
    expect(forbidden).toMatchObject({ error: 'LockyardError', reason: 'FORBIDDEN' });
    const invalid = await agent.lock(name, { leaseMs: 1 }).ended();
    expect(invalid).toMatchObject({ error: 'LockyardError', reason: 'INVALID' });
    const negative = await agent.lock(name, { holdAtLeastMs: -1 }).ended();
    expect(negative).toMatchObject({ error: 'LockyardError', reason: 'INVALID' });
    expect(proxy.of(name, 'lock.acquire')).toHaveLength(4);
  },

  'a redirect is not followed, since a command would be sent twice': async (bench) => {
    const { agent, name, proxy, api } = bench;
    const location = `${api.url}/api/v1/lock.acquire`;
    proxy.rule = () => ({ status: 307, headers: { location }, body: {} });
    const ended = await agent.lock(name).ended();
    expect(ended).toMatchObject({ error: 'LockyardError', reason: 'INVALID' });
    expect(await bench.state()).toBe('free');
  },

  'a wrong configuration is refused before anything is sent': async ({
    agent,
    name,
    key,
    proxy,
  }) => {
    const seen = proxy.seen.length;
    const urls = [
      'locks.example.com',
      'ftp://a',
      `${proxy.url}?a`,
      'http://u:p@a',
      'http://127.0.0.1:65536',
      'http://a,',
    ];
    for (const url of [...urls, `${proxy.url},${proxy.url}/`]) {
      const refused = await agent.call('inspect', { name }, { url, apiKey: key });
      expect(refused, url).toMatchObject({ error: 'LockyardError', reason: 'INVALID' });
    }
    expect(proxy.seen).toHaveLength(seen);
  },

  'the key may come from a file, but not from two places': async (bench) => {
    const file = join(bench.folder, 'key');
    writeFileSync(file, `${bench.key}\n`);
    const { name } = bench;
    const asked = async (variables: Record<string, string>) => {
      const agent = bench.newAgent({ LOCKYARD_API_KEY: '', ...variables });
      const event = await agent.call('inspect', { name });
      await agent.close();
      return event;
    };
    const fromFile = await asked({ LOCKYARD_API_KEY_FILE: file });
    expect(fromFile.answer).toMatchObject({ state: 'free' });
    const both = await asked({ LOCKYARD_API_KEY_FILE: file, LOCKYARD_API_KEY: bench.key });
    const none = await asked({});
    const gone = await asked({ LOCKYARD_API_KEY_FILE: `${file}-gone` });
    for (const refused of [both, none, gone]) expect(refused.reason).toBe('INVALID');
  },
};
