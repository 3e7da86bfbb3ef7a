import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ApiHarness } from '@/test/api-harness';
import { parseDeleteCommand } from '../../cli/parse-command';
import { printOf } from '../../cli/testing/print-of';
import { type ChosenNames, DELETED_AT_ONCE } from '../../contract/console/deletion-inputs';
import { MINUTE_MS } from '../../core/time-units';
import { openIntent } from '../../operations/audit/audit-log';
import { listAudit } from '../../operations/audit/list-audit';
import { resolveAuditIntents } from '../../operations/audit/resolve-audit-intents';
import { createUser } from '../../operations/users/create-user';
import { StoreError } from '../../storage/record-store';
import { SqliteStore } from '../../storage/sqlite/sqlite-store';

const passed = { ms: 0 };
const clock = {
  now: () => Date.now() + passed.ms,
  monotonic: () => performance.now() + passed.ms,
};
const PASSWORD = 'a long and unlikely password';
const REASON = 'names of a test run';

let api: ApiHarness;
let key: string;
let operator: string;

beforeAll(async () => {
  api = await ApiHarness.start({}, { clock });
  await api.namespace('jobs');
  key = await api.key('orders', ['default', 'jobs']);
  await createUser(api.cli, { name: 'Olga', role: 'operator', password: PASSWORD });
  await createUser(api.cli, { name: 'Vera', role: 'viewer', password: PASSWORD });
  operator = await api.signIn('Olga', PASSWORD);
});
afterAll(() => api.close());

const acquire = (name: string) =>
  api.post(key, 'lock.acquire', { namespace: 'jobs', name, owner: 'w1', leaseMs: 60_000 });
async function used(...names: string[]): Promise<void> {
  for (const name of names) {
    const { token } = (await acquire(name)).data as { token: number };
    await api.post(key, 'lock.release', { namespace: 'jobs', name, owner: 'w1', token });
  }
}
const preview = (input: object, cookie = operator) =>
  api.console(cookie, 'locks.previewDeletion', { namespace: 'jobs', ...input });
const remove = (input: object, cookie = operator) =>
  api.console(cookie, 'locks.delete', { namespace: 'jobs', reason: REASON, ...input }, 'mutation');
const namesWith = (prefix: string) =>
  [...api.runtime.projection.names()]
    .filter((kept) => kept.key.namespace === 'jobs' && kept.key.name.startsWith(prefix))
    .map((kept) => kept.key.name)
    .sort();
const seen = async (prefix: string, count: number) => {
  while (namesWith(prefix).length < count) await new Promise((resolve) => setTimeout(resolve, 20));
};
const lastEntry = async () => (await listAudit(api.cli, { limit: 1 })).rows[0];
const cli = (...words: string[]) => {
  const command = parseDeleteCommand(words);
  if (!command) throw new Error('These words make no command.');
  return printOf(api.runtime, command);
};

test('an operator previews a deletion, and deletes at most the number typed', async () => {
  await used('a1', 'a2', 'a3');
  passed.ms += 11 * MINUTE_MS;
  await used('a4');
  await acquire('a5');
  await used('b1');
  await seen('a', 5);
  const shown = await preview({ prefix: 'a' });
  expect(shown.data).toEqual({
    matching: 5,
    going: 3,
    examples: ['a1', 'a2', 'a3'],
    kept: expect.arrayContaining([
      { because: 'tokensAhead', count: 1, examples: ['a4'] },
      { because: 'held', count: 1, examples: ['a5'] },
    ]),
  });
  const first = await remove({ prefix: 'a', atMost: 2 });
  expect(first.data).toMatchObject({ outcome: 'done', deleted: 2, more: true });
  expect(first.data?.results).toHaveLength(2);
  expect(namesWith('a')).toHaveLength(3);
  expect(await lastEntry()).toMatchObject({
    act: 'lock.delete',
    actor: 'Olga',
    subject: 'a*',
    reason: REASON,
    outcome: 'done',
    seen: { atMost: 2 },
    result: { deleted: 2, kept: 0, changed: 0 },
  });
  const rest = await remove({ prefix: 'a', atMost: 3 });
  expect(rest.data).toMatchObject({ outcome: 'done', deleted: 1, more: false });
  expect((await remove({ prefix: 'a', atMost: 3 })).data).toMatchObject({
    outcome: 'nothing',
    deleted: 0,
  });
  expect(await lastEntry()).toMatchObject({ outcome: 'not_applied' });
  expect(namesWith('a')).toEqual(['a4', 'a5']);
});

test('names that are kept do not count among those to delete', async () => {
  await used('g1', 'g2');
  passed.ms += 11 * MINUTE_MS;
  await acquire('g0');
  const answer = await remove({ names: ['g0', 'g1', 'g2'], atMost: 2 });
  expect(answer.data).toMatchObject({ outcome: 'done', deleted: 2, more: false });
  const { data } = await api.get(key, 'lock.inspect', { namespace: 'jobs', name: 'g0' });
  expect(data).toMatchObject({ state: 'held' });
});

test('names chosen one by one each get an answer, and tokens rise across a deletion', async () => {
  const before = (await acquire('c1')).data as { token: number };
  await used('c2');
  await api.post(key, 'lock.release', {
    namespace: 'jobs',
    name: 'c1',
    owner: 'w1',
    token: before.token,
  });
  passed.ms += 11 * MINUTE_MS;
  await acquire('c2');
  const answer = await remove({ names: ['c1', 'c2', 'c3'], atMost: 3 });
  expect(answer.data).toEqual({
    outcome: 'done',
    deleted: 1,
    more: false,
    results: [
      { name: 'c1', outcome: 'deleted' },
      { name: 'c2', outcome: 'kept', because: 'held' },
      { name: 'c3', outcome: 'gone' },
    ],
  });
  const renewed = await api.post(key, 'lock.renew', {
    namespace: 'jobs',
    name: 'c1',
    owner: 'w1',
    token: before.token,
    leaseMs: 1_000,
  });
  expect(renewed.data).toMatchObject({ outcome: 'lost' });
  const after = (await acquire('c1')).data as { token: number };
  expect(after.token).toBeGreaterThan(before.token + 10 * MINUTE_MS);
});

test('kept names are reported once, even if the time runs out before the others', async () => {
  await used('h1', 'h2');
  passed.ms += 11 * MINUTE_MS;
  await acquire('h2');
  const chosen: ChosenNames = { namespace: 'jobs', kind: 'lock', names: ['h1', 'h2', 'h3'] };
  for (const isTimeUp of [true, false]) {
    const results: { name: string; outcome: string }[] = [];
    const more = await api.runtime.nameDeletion.delete('default', chosen, {
      atMost: 3,
      onResults: (some) => void results.push(...some),
      isTimeUp: () => isTimeUp,
    });
    expect(more).toBe(isTimeUp);
    expect(results.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
      ...(isTimeUp ? [] : ['h1 deleted']),
      'h2 kept',
      'h3 gone',
    ]);
  }
});

test('counters are deleted in the same way, and a lock of the same name is kept', async () => {
  for (const name of ['d1', 'd2']) {
    await api.post(key, 'counter.create', { namespace: 'jobs', name });
  }
  await acquire('d1');
  await seen('d', 3);
  passed.ms += 11 * MINUTE_MS;
  const step = { namespace: 'jobs', name: 'd2', delta: 1, requestId: 'one' };
  await api.post(key, 'counter.add', step);
  expect((await preview({ kind: 'counter', prefix: 'd' })).data).toMatchObject({
    matching: 2,
    going: 1,
    kept: [{ because: 'answersKept', examples: ['d2'] }],
  });
  const answer = await remove({ kind: 'counter', prefix: 'd', atMost: 2 });
  expect(answer.data).toMatchObject({ deleted: 1, results: [{ name: 'd1', outcome: 'deleted' }] });
  expect(namesWith('d')).toEqual(['d1', 'd2']);
});

test('a viewer is refused, and the attempt is audited; bad input is INVALID', async () => {
  const viewer = await api.signIn('Vera', PASSWORD);
  operator = await api.signIn('Olga', PASSWORD);
  const refused = await remove({ prefix: '', atMost: 9 }, viewer);
  expect(refused).toMatchObject({ status: 403, reason: 'FORBIDDEN' });
  expect(await lastEntry()).toMatchObject({
    act: 'lock.delete',
    actor: 'Vera',
    outcome: 'refused',
  });
  expect(await preview({ prefix: '' }, viewer)).toMatchObject({ status: 403 });
  const bad = [
    {},
    { prefix: 'a', names: ['a'] },
    { names: [] },
    { names: Array.from({ length: 201 }, (_, i) => `n${i}`) },
    { prefix: 'a', atMost: 0 },
    { prefix: 'a', atMost: 1.5 },
    { prefix: 'a', reason: ' ' },
    { prefix: 'a', kind: 'namespace' },
    { prefix: 'a', namespace: 'No' },
  ];
  for (const input of bad) {
    const reply = await remove({ atMost: 1, ...input });
    expect([reply.status, reply.reason, input]).toEqual([400, 'INVALID', input]);
  }
  const nowhere = await remove({ namespace: 'nowhere', prefix: 'a', atMost: 1 });
  expect(nowhere).toMatchObject({ status: 404, reason: 'NOT_FOUND' });
});

test('half a character is no prefix: the audit log could not name what it chooses', async () => {
  const half = { prefix: '\ud83d', atMost: 1 };
  for (const reply of [await preview({ prefix: half.prefix }), await remove(half)]) {
    expect(reply).toMatchObject({ status: 400, reason: 'INVALID' });
    expect(reply.error?.message).toBe('prefix: must be well-formed Unicode');
  }
});

test('the command line previews what would be deleted, and reports each name', async () => {
  await used('e1', 'e2');
  await acquire('e3\n');
  await seen('e', 3);
  passed.ms += 11 * MINUTE_MS;
  await acquire('e3\n');
  const words = ['locks', 'delete', '--namespace', 'jobs', '--prefix', 'e'];
  const shown = async () => (await cli(...words)) ?? '';
  while (!(await shown()).includes('kept, held')) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(await shown()).toBe(
    '3 locks match; 2 can be deleted.\ncan be deleted: e1, e2\n1 kept, held: e3\\u{a}',
  );
  expect(await cli(...words, '--count', '5', '--reason', REASON)).toBe(
    'deleted: e1\ndeleted: e2\n1 kept, held: e3\\u{a}\n2 deleted.',
  );
  expect(await lastEntry()).toMatchObject({ act: 'lock.delete', actorKind: 'cli', subject: 'e*' });
  expect(await cli('counters', 'delete', '--name', 'nothing')).toBe(
    '0 counters match; 0 can be deleted.',
  );
  expect(await cli('locks', 'delete', '--namespace', 'jobs', '--name', 'e3\n')).toBe(
    '1 lock matches; 0 can be deleted.\n1 kept, held: e3\\u{a}',
  );
});

test('a deletion by the command line stops once it is interrupted', async () => {
  const names = Array.from({ length: DELETED_AT_ONCE + 1 }, (_, i) => `h${i}`);
  const create = (name: string) => api.post(key, 'counter.create', { namespace: 'jobs', name });
  for (let i = 0; i < names.length; i += 100) {
    await Promise.all(names.slice(i, i + 100).map(create));
  }
  const counters = () =>
    api.runtime.nameDeletion.preview('default', {
      namespace: 'jobs',
      kind: 'counter',
      prefix: 'h',
    });
  while ((await counters()).matching < names.length) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  passed.ms += 11 * MINUTE_MS;
  const words = ['counters', 'delete', '--namespace', 'jobs', '--prefix', 'h'];
  const command = parseDeleteCommand([...words, '--count', '2000', '--reason', REASON]);
  if (!command) throw new Error('These words make no command.');
  await expect(printOf(api.runtime, command, () => false)).rejects.toMatchObject({
    reason: 'CONFLICT',
    message: 'The command was interrupted.',
  });
  let asked = 0;
  const isAwaited = () => ++asked <= 1;
  await expect(printOf(api.runtime, command, isAwaited)).rejects.toMatchObject({
    reason: 'CONFLICT',
    message: `${DELETED_AT_ONCE} deleted, then: The command was interrupted.`,
  });
  expect((await counters()).matching).toBe(1);
});

test('if the time to search very many locks is over, those found are deleted', async () => {
  const names = Array.from({ length: 70 }, (_, i) => `p${i}`);
  await used(...names);
  passed.ms += 11 * MINUTE_MS;
  const chosen: ChosenNames = { namespace: 'jobs', kind: 'lock', prefix: 'p' };
  const { nameDeletion } = api.runtime;
  const countGoing = async () => (await nameDeletion.preview('default', chosen)).going;
  await expect.poll(countGoing, { timeout: 20_000 }).toBe(names.length);
  let deleted = 0;
  const onResults = (some: { outcome: string }[]) => {
    deleted += some.filter(({ outcome }) => outcome === 'deleted').length;
  };
  const run = (isLookOver: boolean) =>
    nameDeletion.delete('default', chosen, {
      atMost: 100,
      onResults,
      isTimeUp: () => false,
      isSearchOver: () => isLookOver,
    });
  expect(await run(true)).toBe(true);
  expect(deleted).toBeGreaterThan(0);
  expect(deleted).toBeLessThan(names.length);
  expect(await run(false)).toBe(false);
  expect(deleted).toBe(names.length);
});

test('a deletion whose process died is recorded as unknown: some names may be gone', async () => {
  const what = { act: 'lock.delete', namespace: 'jobs', subject: 'f*', reason: REASON } as const;
  await openIntent(api.cli, { name: 'Olga', kind: 'user' }, what);
  passed.ms += MINUTE_MS;
  await resolveAuditIntents(api.runtime);
  expect(await lastEntry()).toMatchObject({ subject: 'f*', outcome: 'unknown' });
});

test('a deletion of unknown outcome is never answered as one that changed nothing', async () => {
  await used('g1');
  await seen('g', 1);
  passed.ms += 11 * MINUTE_MS;
  operator = await api.signIn('Olga', PASSWORD);
  const failure = new StoreError('It went away.', 'no');
  const forget = vi.spyOn(SqliteStore.prototype, 'deleteRecords').mockRejectedValue(failure);
  const answer = await remove({ names: ['g1'], atMost: 1 });
  forget.mockRestore();
  expect(answer).toMatchObject({ reason: 'UNKNOWN' });
  expect(answer.error?.message).not.toMatch(/Nothing was changed/);
  passed.ms += MINUTE_MS;
  await resolveAuditIntents(api.runtime);
  expect(await lastEntry()).toMatchObject({ subject: 'g1', outcome: 'unknown' });
  const read = vi.spyOn(SqliteStore.prototype, 'read').mockRejectedValue(failure);
  const unread = await remove({ names: ['g1'], atMost: 1 });
  read.mockRestore();
  expect(unread).toMatchObject({ reason: 'BACKEND_DOWN' });
  expect(await lastEntry()).toMatchObject({ subject: 'g1', outcome: 'not_applied' });
});

test('invalid arguments of a deletion are refused in one line', () => {
  const refusal = (...words: string[]) => {
    try {
      parseDeleteCommand(['locks', 'delete', ...words]);
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(parseDeleteCommand(['locks', 'list'])).toBe(null);
  expect(refusal()).toBe('locks delete needs either --prefix or --name.');
  expect(refusal('--prefix', 'a', '--name', 'b')).toMatch(/needs either/);
  expect(refusal('--prefix', 'a', '--count', '5')).toMatch(/both --count and --reason/);
  expect(refusal('--prefix', 'a', '--count', 'x', '--reason', REASON)).toMatch(/^--count: /);
  expect(refusal('--prefix', 'a', '--namespace', 'No')).toMatch(/^--namespace: /);
  expect(refusal('--everything')).toMatch(/--everything/);
});
