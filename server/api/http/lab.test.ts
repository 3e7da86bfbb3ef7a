import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { LAB_DEFAULTS } from '@/server/contract/console/lab/lab-race';
import { LabRaces } from '@/server/operations/lab/lab-races';
import { labRow, ScriptedRunner } from '@/server/operations/lab/testing/scripted-runner';
import { createUser } from '@/server/operations/users/create-user';
import { ApiHarness } from '@/test/api-harness';

const PASSWORD = 'plough the seventh field';
const settings = { ...LAB_DEFAULTS, strategies: ['written-back', 'version'] };

let api: ApiHarness;
let runner: ScriptedRunner;
let lab: LabRaces;
const cookies = { viewer: '', operator: '', admin: '' };

beforeAll(async () => {
  api = await ApiHarness.start();
  const { database, clock, log } = api.runtime;
  runner = new ScriptedRunner();
  const readSource = async (id: string) =>
    id === 'version' ? { id, path: 'server/strategies/version.ts', text: 'the source' } : null;
  lab = new LabRaces({ database, clock, log, runner, readSource });
  api.runtime.lab = lab;
  for (const role of ['viewer', 'operator', 'admin'] as const) {
    await createUser(api.cli, { name: role, role, password: PASSWORD });
    cookies[role] = await api.signIn(role, PASSWORD);
  }
});
afterAll(async () => {
  await lab.close();
  await api.close();
});

const start = (input: object, cookie = cookies.operator) =>
  api.console(cookie, 'lab.start', { ...settings, ...input }, 'mutation');
const stop = (id: string, cookie = cookies.operator) =>
  api.console(cookie, 'lab.stop', { id }, 'mutation');

async function finish(id: string): Promise<void> {
  runner.report({ kind: 'finished', endedBy: 'done' });
  await vi.waitFor(async () => {
    const { data } = await api.console(cookies.viewer, 'lab.run', { id });
    expect(data).toMatchObject({ endedBy: 'done' });
  }, 10_000);
}

const BAD_INPUTS: [what: string, input: object, complaint: RegExp][] = [
  ['no stock', { stock: 0 }, /^stock: must be a whole number from 1 to 100000$/],
  ['a negative stock', { stock: -5 }, /^stock: must be/],
  ['a huge stock', { stock: 1e15 }, /^stock: must be/],
  ['half a unit', { stock: 1.5 }, /^stock: must be/],
  ['a stock in words', { stock: 'many' }, /^stock: must be/],
  ['no workers', { workers: 0 }, /^workers: must be a whole number from 1 to 500$/],
  ['negative workers', { workers: -1 }, /^workers: must be/],
  ['too many workers', { workers: 1_000_000 }, /^workers: must be/],
  ['a think time below zero', { thinkMs: -1 }, /^thinkMs: must be/],
  ['an hour each', { perEntryMs: 3_600_000 }, /^perEntryMs: must be/],
  ['no strategy', { strategies: [] }, /^strategies: must name at least one strategy$/],
  ['a strategy twice', { strategies: ['version', 'version'] }, /^strategies: must not name/],
  ['an unknown strategy', { strategies: ['hope'] }, /there is no strategy "hope"/],
  ['a path', { strategies: ['../../etc/passwd'] }, /must be the id of a strategy/],
  ['an unknown setting', { servers: { mysql: 'mysql://root@db' } }, /servers/],
];

test.each(BAD_INPUTS)('%s is INVALID and starts nothing', async (_, input, complaint) => {
  const before = runner.started.length;
  const reply = await start(input);
  expect([reply.status, reply.reason], reply.text).toEqual([400, 'INVALID']);
  expect(reply.error?.message).toMatch(complaint);
  expect(runner.started.length).toBe(before);
});

test('a strategy whose server is missing is a CONFLICT that says what is missing', async () => {
  const reply = await start({ strategies: ['version', 'ephemeral'] });
  expect([reply.status, reply.reason]).toEqual([409, 'CONFLICT']);
  expect(reply.error?.message).toBe('"Ephemeral nodes" cannot run. Needs ZooKeeper.');
});

test('viewers see races; operators and admins start and stop one at a time, audited', async () => {
  for (const act of [() => start({}, cookies.viewer), () => stop('any', cookies.viewer)]) {
    const refused = await act();
    expect([refused.status, refused.reason]).toEqual([403, 'FORBIDDEN']);
  }
  const first = await start({});
  expect(first.data).toEqual({ outcome: 'started', id: expect.any(String) });
  const { id } = first.data as { id: string };
  const second = await start({}, cookies.admin);
  expect(second.data).toMatchObject({ outcome: 'busy', id, startedBy: 'operator' });
  expect((await stop(id, cookies.admin)).data).toEqual({ outcome: 'stopping' });
  expect(runner.stops).toBeGreaterThan(0);
  await finish(id);
  expect((await stop(id)).data).toEqual({ outcome: 'ended' });

  const { data } = await api.console(cookies.viewer, 'audit.list', { limit: 10 });
  const rows = ((data?.rows ?? []) as Record<string, unknown>[]).filter(({ act }) =>
    String(act).startsWith('lab.'),
  );
  expect(rows.map(({ act, actor, outcome }) => [act, actor, outcome])).toEqual([
    ['lab.stop', 'operator', 'not_applied'],
    ['lab.stop', 'admin', 'done'],
    ['lab.start', 'admin', 'failed'],
    ['lab.start', 'operator', 'done'],
    ['lab.stop', 'viewer', 'refused'],
    ['lab.start', 'viewer', 'refused'],
  ]);
  expect(rows[3]).toMatchObject({ subject: id, seen: { strategies: 2, workers: 50, stock: 500 } });
});

test('a run is listed and shown with its rows, and an unknown one is NOT_FOUND', async () => {
  const started = await start({});
  const { id } = started.data as { id: string };
  runner.report({ kind: 'entry-finished', row: labRow({ id: 'version' }) });
  await finish(id);
  const list = await api.console(cookies.viewer, 'lab.runs', {});
  expect(list.data).toMatchObject({
    runs: expect.arrayContaining([expect.objectContaining({ id })]),
  });
  const run = await api.console(cookies.viewer, 'lab.run', { id });
  expect(run.data).toMatchObject({ id, rows: [{ id: 'version' }], startedBy: 'operator' });
  for (const procedure of ['lab.run', 'lab.source'] as const) {
    const missing = await api.console(cookies.viewer, procedure, { id: 'nothing' });
    expect([missing.status, missing.reason]).toEqual([404, 'NOT_FOUND']);
    const odd = await api.console(cookies.viewer, procedure, { id: '../x' });
    expect([odd.status, odd.reason]).toEqual([400, 'INVALID']);
  }
  expect((await stop('nothing')).reason).toBe('NOT_FOUND');
});

test('a viewer can read the source of a strategy and the list of servers', async () => {
  const source = await api.console(cookies.viewer, 'lab.source', { id: 'version' });
  expect(source.data).toMatchObject({ text: 'the source' });
  const preflights = runner.preflights;
  const preflight = await api.console(cookies.viewer, 'lab.preflight', {});
  expect(preflight.data).toMatchObject({ servers: [], asOf: expect.any(Number) });
  expect(runner.preflights).toBe(preflights);
  const anonymous = await api.console(null, 'lab.preflight', {});
  expect([anonymous.status, anonymous.reason]).toEqual([401, 'UNAUTHENTICATED']);
});
