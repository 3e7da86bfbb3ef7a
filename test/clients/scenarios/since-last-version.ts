import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { revokeApiKey } from '@/server/operations/api-keys/revoke-api-key';
import { FaultProxy, type SeenRequest } from '../fault-proxy';
import type { Scenarios } from '../scenario-bench';
import { CONFIRMING } from './confirming';

/** Scenarios that the previous version fails: move them to the others with the next release. */
export const SINCE_LAST_VERSION: Scenarios = {
  ...CONFIRMING,

  'a refusal whose reason is of a later version is understood by its status': async ({
    agent,
    name,
    proxy,
  }) => {
    const refusal = (status: number) => {
      const data = { httpStatus: status, reason: 'OF_A_LATER_VERSION', retryAfterMs: 1 };
      return { status, body: { error: { message: 'Not now.', code: -32029, data } } };
    };
    const statuses = [429, 503];
    proxy.rule = ({ procedure }) => {
      const status = procedure === 'lock.acquire' ? statuses.shift() : undefined;
      return status === undefined ? null : refusal(status);
    };
    const work = agent.lock(name);
    await work.begun();
    await work.finish();
    expect(proxy.of(name, 'lock.acquire')).toHaveLength(3);
    proxy.rule = ({ procedure }) => (procedure === 'lock.acquire' ? refusal(403) : null);
    expect(await agent.lock(name).ended()).toMatchObject({ reason: 'FORBIDDEN', retryAfterMs: 1 });
  },

  'an acquire that may be done though the server failed is taken back': async ({
    agent,
    name,
    proxy,
  }) => {
    const data = { httpStatus: 500, reason: 'INTERNAL' };
    const body = { error: { message: 'A fault.', code: -32603, data } };
    proxy.rule = ({ procedure }) => (procedure === 'lock.acquire' ? { status: 500, body } : null);
    expect(await agent.lock(name).ended()).toMatchObject({ reason: 'INTERNAL' });
    const [asked] = proxy.of(name, 'lock.acquire');
    const [cancelled] = proxy.of(name, 'lock.cancel');
    expect(cancelled?.input.requestId).toBe(asked?.input.requestId);
  },

  'space around a key is left out, and one that can be no key is refused at once': async ({
    agent,
    name,
    key,
    proxy,
  }) => {
    const { answer } = await agent.call(
      'inspect',
      { name },
      { url: proxy.url, apiKey: `${key}\n` },
    );
    expect(answer).toMatchObject({ state: 'free' });
    const seen = proxy.seen.length;
    for (const apiKey of ['\n', `${key}\n${key}`, `${key} €`]) {
      const refused = await agent.call('inspect', { name }, { url: proxy.url, apiKey });
      expect(refused, apiKey).toMatchObject({ error: 'LockyardError', reason: 'INVALID' });
    }
    expect(proxy.seen).toHaveLength(seen);
  },

  'an empty address or key counts as none: those of the environment are used': async (bench) => {
    const { agent, name } = bench;
    const { answer, message } = await agent.call('inspect', { name }, { url: '', apiKey: '' });
    expect(answer, message as string).toMatchObject({ state: 'free' });
  },

  'a proxy that limits calls says when to come back, for 5 s at most': async (bench) => {
    const { agent, name, proxy } = bench;
    const limit = (seconds: string) => {
      proxy.rule = () => ({ status: 429, headers: { 'retry-after': seconds }, body: 'slow down' });
      return agent.lock(name, { waitMs: 0 }).ended();
    };
    for (const seconds of ['5', '3600']) {
      const refused = await limit(seconds);
      expect(refused).toMatchObject({ reason: 'RATE_LIMITED', retryAfterMs: 5_000 });
    }
    expect(proxy.of(name, 'lock.acquire')).toHaveLength(2);
    expect((await limit('later')).retryAfterMs ?? 0).toBe(0);
  },

  'text that is not well-formed is refused before anything is sent': async ({
    agent,
    name,
    proxy,
  }) => {
    const seen = proxy.seen.length;
    const broken = `${name}\ud800`;
    const refusal = (field: string) => ({
      error: 'LockyardError',
      reason: 'INVALID',
      message: `${field}: must be well-formed Unicode`,
    });
    expect(await agent.lock(broken).ended()).toMatchObject(refusal('name'));
    const asked = agent.lock(name, { meta: { job: broken } });
    expect(await asked.ended()).toMatchObject(refusal('meta'));
    expect(proxy.seen).toHaveLength(seen);
    const well = `${name} \u{1f512}\\ud800`;
    const work = agent.lock(well);
    await work.begun();
    await work.finish();
    expect(proxy.of(well, 'lock.acquire')).toHaveLength(1);
  },

  'a refused upgrade says which lock the work holds, and its token': async ({ agent, name }) => {
    const work = agent.lock(name, { mode: 'shared' });
    const { token } = await work.begun();
    const inner = await work.nested(name, { waitMs: 0 });
    expect(inner).toMatchObject({ error: 'LockUpgradeRefused', lock: name, token });
    await work.finish();
  },

  'a refusal says what the key lacks': async ({ agent, name, proxy }) => {
    const data = { httpStatus: 403, reason: 'FORBIDDEN', detail: 'missingNamespace' };
    const body = { error: { message: 'The key does not cover it.', code: -32003, data } };
    proxy.rule = ({ procedure }) => (procedure === 'lock.acquire' ? { status: 403, body } : null);
    const ended = await agent.lock(name).ended();
    expect(ended).toMatchObject({ reason: 'FORBIDDEN', detail: 'missingNamespace' });
  },

  'a file of the key that is empty is named': async (bench) => {
    const file = join(bench.folder, 'no-key');
    writeFileSync(file, '\n');
    const agent = bench.newAgent({ LOCKYARD_API_KEY: '', LOCKYARD_API_KEY_FILE: file });
    const { reason, message } = await agent.call('inspect', { name: bench.name });
    await agent.close();
    expect([reason, message]).toEqual([
      'INVALID',
      `The file of LOCKYARD_API_KEY_FILE is empty: ${file}`,
    ]);
  },

  'a key whose file was replaced is read again once the old one is refused': async (bench) => {
    const { api, name } = bench;
    const file = join(bench.folder, 'rotated-key');
    writeFileSync(file, `${await api.key('rotated')}\n`);
    const agent = bench.newAgent({ LOCKYARD_API_KEY: '', LOCKYARD_API_KEY_FILE: file });
    const work = agent.lock(name, { leaseMs: 15_000 });
    await work.begun();
    const id = await api.keyId('rotated');
    // Not by a rotation, which the server of the previous version does not have.
    const successor = await api.key('rotated');
    await revokeApiKey(api.cli, { id });
    writeFileSync(file, '');
    const reason = async () => (await agent.call('inspect', { name })).reason;
    await expect.poll(reason, { timeout: 20_000 }).toBe('UNAUTHENTICATED');
    writeFileSync(file, `${successor}\n`);
    expect((await agent.call('inspect', { name })).answer).toMatchObject({ state: 'held' });
    const before = await bench.leaseEnd();
    await expect.poll(bench.leaseEnd, { timeout: 20_000 }).toBeGreaterThan(before);
    expect(await work.finish()).toMatchObject({ result: 'result' });
    await agent.close();
  },

  'a timeout says of a holder that has released its lock how long it stays taken': async ({
    agent,
    name,
  }) => {
    const first = agent.lock(name, { holdAtLeastMs: 60_000, leaseMs: 60_000 });
    await first.begun();
    const busy = await agent.lock(name, { waitMs: 0 }).ended();
    expect(busy.message).toMatch(/ holds it\.?$/);
    await first.finish();
    const kept = await agent.lock(name, { waitMs: 0 }).ended();
    expect(kept.message).toMatch(/ released it, and it stays held for another \d+ ms\.?$/);
  },

  'answers that do not say for how long keep no hold alive': async (bench) => {
    const { agent, name, proxy } = bench;
    const work = agent.lock(name, { leaseMs: 1_500 });
    await work.begun();
    const answers = [{ outcome: 'renewed' }, { outcome: 'renewed', expiresInMs: 'soon' }];
    let renewals = 0;
    proxy.rule = ({ procedure }) => {
      if (procedure !== 'lock.renew') return null;
      return { status: 200, body: { result: { data: answers[renewals++ % answers.length] } } };
    };
    await work.aborted();
    expect(await work.ended()).toMatchObject({ error: 'LockLost', cause: 'unrenewed' });
    expect(renewals).toBeGreaterThan(answers.length);
  },

  'of several addresses one that shuts down is left by a request for several locks': async (
    bench,
  ) => {
    const { agent, name, proxy, key, api } = bench;
    const ending = await FaultProxy.start(api.url);
    const data = { outcome: 'queued', name: 'a', ticket: 1, place: 1, patienceLeftMs: 9_000 };
    ending.rule = () => ({ status: 200, body: { result: { data } } });
    const client = { url: `${ending.url},${proxy.url}`, apiKey: key };
    const locks = [{ name: `${name} a` }, { name: `${name} b` }];
    const ask = () => agent.call('acquireMany', { locks, leaseMs: 6_000, waitMs: 9_000 }, client);
    expect((await ask()).answer).toMatchObject({ outcome: 'queued' });
    expect((await ask()).answer).toMatchObject({ outcome: 'granted' });
    await ending.close();
  },

  'a wait without end goes on in parts that are as short as its namespace wants': async (bench) => {
    const { agent, name, proxy } = bench;
    let waitMaxMs = 1_000;
    proxy.rule = ({ procedure, input }) => {
      if (procedure !== 'lock.acquire' || Number(input.waitMs) <= waitMaxMs) return null;
      const data = { httpStatus: 400, reason: 'INVALID', waitMaxMs };
      const body = { error: { message: 'waitMs is too long.', code: -32600, data } };
      return { status: 400, body };
    };
    const release = await bench.occupy();
    const work = agent.lock(name, { waitMs: null });
    // In whole seconds: what is left of a part is asked for, some milliseconds after its start.
    const waits = () =>
      proxy.of(name, 'lock.acquire').map(({ input }) => Math.ceil(Number(input.waitMs) / 1_000));
    await expect.poll(waits, { timeout: 20_000 }).toEqual([540, 1, 1]);
    await release();
    await work.begun();
    expect(await work.finish()).toMatchObject({ result: 'result' });
    waitMaxMs = 999;
    const refused = agent.lock(name, { waitMs: null });
    expect(await refused.ended()).toMatchObject({ error: 'LockyardError', reason: 'INVALID' });
  },

  'a wait without end asks no sooner than the server says, however short its parts': async (
    bench,
  ) => {
    const { agent, name, proxy } = bench;
    const asked = () => proxy.of(name, 'lock.acquire').length;
    const refuse = (status: number, data: object) => ({
      status,
      body: { error: { message: 'Refused.', code: -32600, data } },
    });
    proxy.rule = ({ procedure, input }) => {
      if (procedure !== 'lock.acquire') return null;
      return Number(input.waitMs) > 1_000
        ? refuse(400, { reason: 'INVALID', waitMaxMs: 1_000 })
        : refuse(429, { reason: 'NAMESPACE_FULL', retryAfterMs: 5_000 });
    };
    const work = agent.lock(name, { waitMs: null });
    await expect.poll(asked, { timeout: 20_000 }).toBeGreaterThan(1);
    await pause(1_000);
    expect(asked()).toBe(2);
    proxy.rule = () => null;
    await work.begun();
    await work.finish();
  },

  'a wait that is queued late ends in time, by the same input where it may be known': async (
    bench,
  ) => {
    const { agent, name, proxy } = bench;
    const asked = () => proxy.of(name, 'lock.acquire').map(({ input }) => input);
    const full = { outcome: 'queueFull', queueLength: 200, retryAfterMs: 1_500 };
    proxy.rule = () => {
      if (asked().length === 1) return { status: 200, body: { result: { data: full } } };
      return asked().length === 2 ? 'lose reply' : null;
    };
    const release = await bench.occupy();
    const ended = await agent.lock(name, { waitMs: 3_000 }).ended();
    expect(ended).toMatchObject({ error: 'LockTimeout', queueLength: 0 });
    const [first, second, third] = asked();
    expect(first?.waitMs).toBeGreaterThan(2_000);
    expect(second?.waitMs).toBeLessThanOrEqual(1_500);
    expect(third).toEqual(second);
    await release();
  },

  'an empty prefix watches all locks of the namespace': async ({ agent, name, other }) => {
    await other.acquire({ name, leaseMs: 60_000 });
    const names = async () => {
      const { answer } = await agent.call('watch', { prefix: '', waitMs: 0 });
      return (answer as { locks: { name: string }[] } | undefined)?.locks.map((lock) => lock.name);
    };
    await expect.poll(names, { timeout: 10_000 }).toContain(name);
  },

  'work that asks for its own lock again hears who has asked for it before': async (bench) => {
    const { agent, name, proxy } = bench;
    const askedToRelease = { by: 'ana', reason: 'a deploy waits', at: 5 };
    proxy.rule = ({ procedure }) => {
      const lease = {
        outcome: 'renewed',
        rev: 8,
        expiresAt: Date.now() + 6_000,
        expiresInMs: 6_000,
      };
      const body = { result: { data: { ...lease, askedToRelease } } };
      return procedure === 'lock.renew' ? { status: 200, body } : null;
    };
    const work = agent.lock(name, { leaseMs: 6_000 });
    await work.begun();
    expect(await work.remark()).toMatchObject({ what: 'asked', by: 'ana' });
    await work.nested(name);
    expect(await work.remark()).toMatchObject({ what: 'asked within', by: 'ana' });
    expect(await work.finish()).toMatchObject({ result: 'result' });
  },

  'an answer without data is none: it is asked for again, by the same id': async (bench) => {
    const { agent, name, proxy } = bench;
    const asked = () => proxy.of(name, 'lock.acquire').map(({ input }) => input.requestId);
    const nothing = { status: 200, body: { result: { data: null } } };
    proxy.rule = () => (asked().length === 1 ? nothing : null);
    const work = agent.lock(name);
    await work.begun();
    expect(await work.finish()).toMatchObject({ result: 'result' });
    const [first, ...others] = asked();
    expect(others).toEqual([first]);
  },

  'an answer without an outcome is no reason to stop watching the time of a hold': async (
    bench,
  ) => {
    const { agent, name, proxy } = bench;
    const work = agent.lock(name, { leaseMs: 1_500 });
    await work.begun();
    const body = { result: { data: {} } };
    proxy.rule = ({ procedure }) => (procedure === 'lock.renew' ? { status: 200, body } : null);
    await work.aborted();
    expect(await work.ended()).toMatchObject({ error: 'LockLost' });
  },

  'an answer that does not say what was done is unknown, whatever was asked': async ({
    agent,
    name,
    proxy,
  }) => {
    const hold = { name, token: 7 };
    const locks = [{ name: `${name} a` }, { name: `${name} b` }];
    const names = locks.map((lock) => lock.name);
    const asked = {
      acquire: { name, leaseMs: 6_000, waitMs: 0 },
      acquireMany: { locks, leaseMs: 6_000, waitMs: 0 },
      cancel: { name, requestId: 'r' },
      cancelMany: { names, requestId: 'r' },
      renew: { ...hold, leaseMs: 6_000 },
      release: hold,
      check: hold,
      inspect: { name },
      list: {},
      watch: { names: [name], waitMs: 0 },
      createCounter: { name },
      addToCounter: { name, delta: 1 },
      getCounter: { name },
    };
    const noAnswers = [{}, { outcome: 'ofALaterVersion' }, { outcome: 5 }, { outcome: null }];
    for (const data of noAnswers) {
      proxy.rule = () => ({ status: 200, body: { result: { data } } });
      for (const [procedure, input] of Object.entries(asked)) {
        const answer = await agent.call(procedure, input);
        const which = `${procedure} ${JSON.stringify(data)}`;
        expect(answer, which).toMatchObject({ error: 'LockyardError', reason: 'UNKNOWN' });
      }
    }
    const grant = { outcome: 'granted', expiresAt: 1, expiresInMs: 6_000, waitedMs: 0 };
    const renewed = { outcome: 'renewed', expiresAt: 1 };
    const incomplete = [
      ['acquire', grant],
      ['acquire', { ...grant, token: '7' }],
      // Not exact as a number of JavaScript.
      ['acquire', { ...grant, token: 2 ** 53 }],
      ['renew', renewed],
      ['renew', { ...renewed, expiresInMs: true }],
      ['renew', { ...renewed, expiresInMs: 1e300 }],
      ['renew', { outcome: 'lost' }],
      ['addToCounter', { outcome: 'applied' }],
      ['getCounter', { value: null }],
    ] as const;
    for (const [procedure, data] of incomplete) {
      proxy.rule = () => ({ status: 200, body: { result: { data } } });
      const answer = await agent.call(procedure, asked[procedure]);
      expect(answer, JSON.stringify(data)).toMatchObject({ reason: 'UNKNOWN' });
    }
  },

  'a lock that is held is not called frozen, whatever else the answer says': async ({
    agent,
    name,
    proxy,
  }) => {
    const data = { outcome: 'held', holders: [], queueLength: 2, retryAfterMs: 5, reason: 'busy' };
    proxy.rule = () => ({ status: 200, body: { result: { data } } });
    const ended = await agent.lock(name, { waitMs: 0 }).ended();
    expect(ended).toMatchObject({ error: 'LockTimeout', queueLength: 2 });
    // In Go it is an empty text.
    expect(ended.frozen || null).toBeNull();
  },

  'an answer of 64 MiB at most is read: a longer one says that it was too long': async ({
    agent,
    name,
    proxy,
  }) => {
    const longest = 64 * 2 ** 20;
    proxy.rule = () => ({ spaces: longest - 100_000 });
    expect((await agent.call('inspect', { name })).answer).toMatchObject({ state: 'free' });
    proxy.rule = () => ({ spaces: longest });
    const what = 'The answer has more than 64 MiB.';
    const read = await agent.call('inspect', { name });
    expect(read).toMatchObject({ error: 'LockyardError', reason: 'TOO_LARGE', message: what });
    const acquired = await agent.call('acquire', { name, leaseMs: 6_000 });
    expect(acquired).toMatchObject({ error: 'LockyardError', reason: 'UNKNOWN', message: what });
  },

  'a release whose answer does not say that it was done is not confirmed': async (bench) => {
    const { agent, name, proxy } = bench;
    const work = agent.lock(name, { leaseMs: 1_500 });
    await work.begun();
    const body = { result: { data: {} } };
    proxy.rule = ({ procedure }) => (procedure === 'lock.release' ? { status: 200, body } : null);
    const ended = await work.finish();
    expect(ended).toMatchObject({ error: 'ReleaseUnconfirmed', result: 'result' });
    expect(proxy.of(name, 'lock.release').length).toBeGreaterThan(1);
  },

  'a renewal with an unknown outcome is tried again while the lease lasts': async (bench) => {
    const { agent, name, proxy } = bench;
    const work = agent.lock(name, { leaseMs: 1_500 });
    await work.begun();
    const body = { result: { data: { outcome: 'ofALaterVersion' } } };
    const renewals = () => proxy.of(name, 'lock.renew').length;
    proxy.rule = ({ procedure }) =>
      procedure === 'lock.renew' && renewals() < 3 ? { status: 200, body } : null;
    await expect.poll(renewals, { timeout: 20_000 }).toBeGreaterThan(3);
    expect(await work.finish()).toMatchObject({ result: 'result' });
  },

  'a renewal of a short lease that gets no answer is tried again beside it': async (bench) => {
    const { agent, name, proxy } = bench;
    const work = agent.lock(name, { leaseMs: 2_000 });
    await work.begun();
    let unanswered: SeenRequest | undefined;
    let isLeft: boolean | undefined;
    proxy.rule = (seen) => {
      if (seen.procedure !== 'lock.renew') return null;
      if (unanswered) isLeft ??= unanswered.isLeft;
      else unanswered = seen;
      return seen === unanswered ? { dropAfterMs: 20_000 } : null;
    };
    const renewals = () => proxy.of(name, 'lock.renew').length;
    await expect.poll(renewals, { timeout: 20_000 }).toBeGreaterThan(3);
    expect(isLeft).toBe(false);
    expect(await work.finish()).toMatchObject({ result: 'result' });
  },

  'a hold outlives connections that fall silent while new ones are answered': async (bench) => {
    const { name, proxy } = bench;
    // Its connections stay silent, so it is of no use afterwards.
    const agent = bench.newAgent();
    proxy.keepsConnections = true;
    // These calls are open at the same time, so that each has a connection of its own.
    proxy.rule = () => ({ replyAfterMs: 500 });
    const names = Array.from({ length: 8 }, (_, at) => `${name} ${at}`);
    await Promise.all(names.map((each) => agent.call('inspect', { name: each })));
    proxy.rule = () => null;
    const work = agent.lock(name, { leaseMs: 6_000 });
    const { expiresAt } = await work.begun();
    proxy.silenceConnections();
    await expect.poll(bench.leaseEnd, { timeout: 8_000 }).toBeGreaterThan(expiresAt as number);
    expect(await work.finish()).toMatchObject({ result: 'result' });
  },
};
