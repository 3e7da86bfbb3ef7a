import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiHarness } from '@/test/api-harness';
import { listAudit } from '../../operations/audit/list-audit';
import { parseArguments } from '../testing/parse-arguments';
import { printOf } from '../testing/print-of';

const REASON = 'more connections tonight';

let api: ApiHarness;
let key: string;

beforeAll(async () => {
  api = await ApiHarness.start();
  await api.namespace('jobs');
  key = await api.key('orders', ['jobs']);
});
afterAll(() => api.close());

const parse = (...words: string[]) => parseArguments(['locks', 'set-capacity', ...words]);
const setCapacity = async (name: string, capacity: number) => {
  const words = ['--name', name, '--capacity', `${capacity}`, '--reason', REASON];
  const command = await parse('--namespace', 'jobs', ...words);
  return printOf(api.runtime, command);
};
const ask = (name: string, owner: string, permits: number, more: object = {}) => {
  const wanted = { mode: 'permit', permits, capacity: 3, leaseMs: 60_000, ...more };
  return api.post(key, 'lock.acquire', { namespace: 'jobs', name, owner, ...wanted });
};
const entries = async () => (await listAudit(api.cli, { limit: 50 })).rows;

test('an operator raises a capacity; the audit log has both values and the reason', async () => {
  await ask('pool', 'w1', 3);
  expect((await ask('pool', 'w2', 2)).data).toMatchObject({ outcome: 'held' });
  expect(await setCapacity('pool', 5)).toBe('pool: capacity 3 -> 5; 3 permits held, 0 waiting.');
  expect((await ask('pool', 'w2', 2)).data).toMatchObject({ outcome: 'granted' });
  expect((await entries())[0]).toMatchObject({
    act: 'lock.setCapacity',
    actorKind: 'cli',
    subject: 'pool',
    reason: REASON,
    seen: { capacity: 3, newCapacity: 5 },
    outcome: 'done',
  });
});

test('a lock keeps its capacity if no permit is in use or a waiter wants more', async () => {
  await expect(setCapacity('unused', 5)).rejects.toMatchObject({
    reason: 'CONFLICT',
    message: 'No permits of unused are held or waited for: its next caller sets the capacity.',
  });
  await ask('full', 'w1', 3);
  const waiting = ask('full', 'w2', 3, { waitMs: 20_000, requestId: 'full-w2' });
  const inspect = () => api.get(key, 'lock.inspect', { namespace: 'jobs', name: 'full' });
  const queue = async () => ((await inspect()).data as { waiters: unknown[] }).waiters;
  while ((await queue()).length === 0);
  await expect(setCapacity('full', 2)).rejects.toMatchObject({
    reason: 'CONFLICT',
    message: 'w2 is waiting for 3 permits of full; nothing was changed.',
  });
  expect((await inspect()).data).toMatchObject({ permits: { capacity: 3 } });
  const cancel = { namespace: 'jobs', name: 'full', owner: 'w2', requestId: 'full-w2' };
  await api.post(key, 'lock.cancel', cancel);
  await waiting;
});

test('invalid arguments for a capacity are refused in one line', async () => {
  const all = ['--name', 'pool', '--capacity', '5', '--reason', REASON];
  const refusals: [string[], RegExp][] = [
    [all.slice(2), /^locks set-capacity needs --name, --capacity and --reason\.$/],
    [all.slice(0, 4), /needs --name, --capacity and --reason/],
    [[...all, '--capacity', 'many'], /^--capacity: /],
    [[...all, '--capacity', '10001'], /^--capacity: /],
    [[...all, '--capacity', ''], /^--capacity: /],
    [[...all, '--namespace', 'No Such'], /^--namespace: /],
    [[...all, '--prefix', 'a'], /--prefix/],
  ];
  for (const [words, message] of refusals) await expect(parse(...words)).rejects.toThrow(message);
});
