import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ApiHarness } from '@/test/api-harness';
import { LockyardError } from '../../contract/errors';
import { listAudit } from '../../operations/audit/list-audit';
import { parseArguments } from '../testing/parse-arguments';
import { printOf } from '../testing/print-of';

const REASON = 'the hotfix goes first';

let api: ApiHarness;
let key: string;

beforeAll(async () => {
  api = await ApiHarness.start();
  key = await api.key('orders');
});
afterAll(() => api.close());

const parse = (...words: string[]) => parseArguments(words);
const run = async (...words: string[]) =>
  printOf(api.runtime, await parse(...words, '--reason', REASON));
const acquire = (name: string, owner: string, waitMs = 0) =>
  api.post(key, 'lock.acquire', { name, owner, leaseMs: 60_000, waitMs, requestId: owner });

test('a lock is reassigned to the waiter of that owner, ahead of others, and audited', async () => {
  const reassign = (to: string) => run('locks', 'reassign', '--name', 'job', '--to', to);
  await expect(reassign('w3')).rejects.toMatchObject({
    reason: 'CONFLICT',
    message: 'The lock has 0 holders: only a lock with one can be reassigned; nothing was changed.',
  });
  await acquire('job', 'w1');
  const waiting = ['w2', 'w3'].map((owner) => acquire('job', owner, 20_000));
  const inspect = () => api.get(key, 'lock.inspect', { name: 'job' });
  const queue = async () => ((await inspect()).data as { waiters: unknown[] }).waiters;
  await expect.poll(async () => (await queue()).length).toBe(2);
  await expect(reassign('w9')).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  expect(await reassign('w3')).toBe('job: released from w1, granted to w3; 1 waiting.');
  expect((await waiting[1])?.data).toMatchObject({ outcome: 'granted' });
  expect(await queue()).toMatchObject([{ owner: 'w2' }]);
  const [entry] = (await listAudit(api.cli, { limit: 1 })).rows;
  expect(entry).toMatchObject({ act: 'lock.reassign', actorKind: 'cli', reason: REASON });
  await api.post(key, 'lock.cancel', { name: 'job', owner: 'w2', requestId: 'w2' });
  await waiting[0];
});

test('a counter is adjusted by a step, within its bounds', async () => {
  await api.post(key, 'counter.create', { name: 'stock', initial: 7, floor: 0 });
  const adjust = (by: string) => run('counters', 'adjust', '--name', 'stock', `--by=${by}`);
  expect(await adjust('-5')).toBe('stock: 7 -> 2.');
  await expect(adjust('-3')).rejects.toMatchObject({
    reason: 'CONFLICT',
    message: 'stock is at 2 (floor 0, ceiling none): -3 would pass a limit; nothing was changed.',
  });
  const lost = run('counters', 'adjust', '--name', 'none', '--by', '1');
  await expect(lost).rejects.toMatchObject({ reason: 'NOT_FOUND' });
});

test('invalid arguments of an action on a record are refused in one line', async () => {
  const all = ['--name', 'job', '--to', 'w2', '--reason', REASON];
  const refusals: [string[], RegExp][] = [
    [['locks', 'reassign', ...all.slice(2)], /^locks reassign needs --name, --to and --reason\.$/],
    [
      ['locks', 'reassign', ...all, '--by', '3'],
      /^locks reassign does not take --by\. It takes --name, /,
    ],
    [
      ['counters', 'adjust', '--name', 'a', '--by', '0', '--reason', REASON],
      /^--by: must not be 0/,
    ],
    [['counters', 'adjust', '--name', 'a', '--by', 'x', '--reason', REASON], /^--by: /],
  ];
  for (const [words, message] of refusals) await expect(parse(...words)).rejects.toThrow(message);
});

test('a preview of what would be deleted says why the rest is kept', async () => {
  await acquire('kept:a', 'w1');
  const all = ['locks', 'delete', '--namespace', 'default', '--prefix', 'kept:'];
  const preview = await parse(...all);
  await expect
    .poll(() => printOf(api.runtime, preview))
    .toBe('1 lock matches; 0 can be deleted.\n1 kept, held: kept:a');
});

test('a deletion of fewer than were asked for says why the others are kept', async () => {
  await api.post(key, 'counter.create', { name: 'kept:a' });
  const deleting = ['counters', 'delete', '--prefix', 'kept:', '--count', '2'];
  const why = 'a new counter could repeat its revs (used in the last 10 minutes, or very often)';
  await expect
    .poll(() => run(...deleting), { timeout: 20_000 })
    .toBe(`1 counter matches; 0 can be deleted.\n1 kept, ${why}: kept:a\n0 deleted.`);
  const none = await run('counters', 'delete', '--prefix', 'none:', '--count', '1');
  expect(none).toBe('0 counters match; 0 can be deleted.\n0 deleted.');
});

test('a deletion with a failing later request says how many are deleted', async () => {
  const away = new LockyardError('BACKEND_DOWN', 'The backend "default" does not respond.');
  const deleting = vi
    .spyOn(api.runtime.nameDeletion, 'delete')
    .mockImplementationOnce(async (_backend, _chosen, { onResults }) => {
      onResults([{ name: 'old:a', outcome: 'deleted' }]);
      return true;
    })
    .mockRejectedValueOnce(away);
  try {
    await expect(run('locks', 'delete', '--prefix', 'old:', '--count', '9')).rejects.toMatchObject({
      reason: 'UNKNOWN',
      message: `1 deleted, then: ${away.message}`,
    });
  } finally {
    deleting.mockRestore();
  }
});
