import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiHarness } from '@/test/api-harness';
import type { LockEngine } from '../../engine/lock-engine';
import { listAudit } from '../../operations/audit/list-audit';
import { parseArguments } from '../testing/parse-arguments';
import { printOf } from '../testing/print-of';

const REASON = 'its host is gone';

let api: ApiHarness;
let key: string;

beforeAll(async () => {
  api = await ApiHarness.start();
  await api.namespace('jobs');
  key = await api.key('orders', ['jobs']);
});
afterAll(() => api.close());

const parse = (...words: string[]) => parseArguments(['locks', ...words]);
const run = async (...words: string[]) =>
  printOf(api.runtime, await parse(...words, '--namespace', 'jobs'));
const act = (verb: string, name: string, token: number, ...more: string[]) =>
  run(verb, '--name', name, '--token', `${token}`, '--reason', REASON, ...more);
const call = (verb: string, input: object) =>
  api.post(key, `lock.${verb}`, { namespace: 'jobs', ...input });
const take = async (name: string, owner: string): Promise<number> => {
  const { data } = await call('acquire', { name, owner, leaseMs: 60_000 });
  return (data as { token: number }).token;
};
const waiting = async (name: string) => {
  const { data } = await api.get(key, 'lock.inspect', { namespace: 'jobs', name });
  return (data as { waiters: unknown[] }).waiters.length;
};

test('a shown hold is force-released once, and its lock goes to the next waiter', async () => {
  const token = await take('job', 'w1');
  const wait = { name: 'job', owner: 'w2', leaseMs: 60_000, waitMs: 20_000, requestId: 'w2' };
  const granted = call('acquire', wait);
  await expect.poll(() => waiting('job')).toBe(1);
  const shown = await run('show', '--name', 'job');
  expect(shown).toMatch(/^job in jobs is held, 1 waiting\n/);
  expect(shown).toContain(`held by w1 (orders), token ${token}, `);
  const data = JSON.parse((await run('show', '--name', 'job', '--json')) ?? '');
  expect(data).toMatchObject({ namespace: 'jobs', name: 'job', holders: [{ owner: 'w1', token }] });

  const release = () => act('force-release', 'job', token);
  expect(await release()).toBe('job: released from w1, granted to w2; 0 waiting.');
  const next = ((await granted).data as { token: number }).token;
  expect(next).toBeGreaterThan(token);
  await expect(release()).rejects.toMatchObject({
    reason: 'CONFLICT',
    message:
      `The hold of job with token ${token} has ended: it was force-released by command line ` +
      `(${REASON}). Now it is held by w2, token ${next}; nothing was changed.`,
  });
  const renewal = { name: 'job', owner: 'w2', token: next, leaseMs: 60_000 };
  expect((await call('renew', renewal)).data).toMatchObject({ outcome: 'renewed' });
  const [, entry] = (await listAudit(api.cli, { limit: 2 })).rows;
  expect(entry).toMatchObject({ act: 'lock.forceRelease', actorKind: 'cli', reason: REASON });
});

test('of a token that the lock has no record of, no end is claimed', async () => {
  const held = await take('batch', 'w1');
  await expect(act('force-release', 'batch', 1)).rejects.toMatchObject({
    reason: 'CONFLICT',
    message:
      'batch has no hold with token 1, nor a record of one. Now it is held by w1, token ' +
      `${held}; nothing was changed.`,
  });
});

test('a holder is asked to release, its lease extended, and its renewals blocked', async () => {
  const token = await take('import', 'w1');
  const renew = async (leaseMs: number) =>
    (await call('renew', { name: 'import', owner: 'w1', token, leaseMs })).data;
  expect(await act('request-release', 'import', token)).toBe(
    'import: w1 is asked to release it, at its next renewal.',
  );
  expect(await renew(60_000)).toMatchObject({ askedToRelease: { reason: REASON } });
  expect(await act('extend', 'import', token, '--by', '30m')).toMatch(
    /^import: the lease of w1 ends in 30 m \d+ s\.$/,
  );
  expect(await act('block-renewals', 'import', token)).toBe(
    'import: renewals of w1 are blocked; the hold ends with its lease.',
  );
  expect(await renew(3_600_000)).toMatchObject({ renewalsStopped: { reason: REASON } });
});

test('a lock is frozen, and unfrozen with the reason for which it was', async () => {
  const set = (verb: string, reason: string) => run(verb, '--name', 'ledger', '--reason', reason);
  expect(await set('freeze', 'it is repaired')).toBe('ledger: frozen; 0 held, 0 waiting.');
  const acquire = { name: 'ledger', owner: 'w1', leaseMs: 1_000 };
  expect((await call('acquire', acquire)).data).toMatchObject({ outcome: 'frozen' });
  await expect(set('freeze', 'twice')).rejects.toThrow(
    'ledger is frozen by command line: it is repaired; nothing was changed.',
  );
  expect(await set('unfreeze', 'it is right again')).toBe(
    'ledger: unfrozen; it was frozen by command line: it is repaired',
  );
  expect((await call('acquire', acquire)).data).toMatchObject({ outcome: 'granted' });
  await expect(set('unfreeze', 'twice')).rejects.toThrow('ledger is not frozen; nothing was');
});

test('an unfreeze of a lock that was not frozen lifts no freeze that began since', async () => {
  const engine = api.runtime.engines.get('default') as LockEngine;
  const on = ['--name', 'free at first', '--namespace', 'jobs', '--reason', REASON];
  const freeze = await parse('freeze', ...on);
  const seenBefore = Object.create(engine, {
    run: {
      value: async (...[key, command]: Parameters<LockEngine['run']>) => {
        const answer = await engine.run(key, command);
        if (command.verb === 'inspect') await printOf(api.runtime, freeze);
        return answer;
      },
    },
  });
  const runtime = { ...api.runtime, engines: new Map([['default', seenBefore]]) };
  const unfreeze = printOf(runtime, await parse('unfreeze', ...on));
  await expect(unfreeze).rejects.toThrow('free at first is not frozen; nothing was changed.');
  expect(await run('show', '--name', 'free at first')).toMatch(/^free at first in jobs is frozen/);
});

test.each([
  [['show'], /^locks show needs --name\.$/],
  [['show', '--name', 'a', '--reason', REASON], /^locks show does not take --reason\. /],
  [['force-release', '--name', 'a', '--reason', REASON], /needs --name, --token and --reason\.$/],
  [['force-release', '--name', 'a', '--token', 'x', '--reason', REASON], /^--token: must be /],
  [['freeze', '--name', 'a', '--reason', 'x'], /^--reason: must be a text of 3 to 500/],
  [
    ['extend', '--name', 'a', '--token', '7', '--by', 'x', '--reason', REASON],
    /^--by: must be a d/,
  ],
  [
    ['extend', '--name', 'a', '--token', '7', '--by', '25h', '--reason', REASON],
    /^--by: must be a duration of at most 1d\.$/,
  ],
])('"locks %j" is refused in one line', async (words, message) => {
  await expect(parse(...words)).rejects.toThrow(message);
});
