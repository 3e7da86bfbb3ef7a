import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ApiHarness } from '@/test/api-harness';
import { type AlertKind, DEFAULT_ALERT_RULES } from '../../contract/console/alerts/alert-rules';
import { type AlertChange, AlertTable } from '../../monitoring/alerts/alert-table';
import { systemClock } from '../../platform/clock';
import { createUser } from '../users/create-user';
import { forgetAlerts } from './alert-views';

const PASSWORD = 'plough the seventh field';
const KEY = Buffer.alloc(32, 'k').toString('base64');

const clock = { ...systemClock };

let api: ApiHarness;
let cookie: string;
beforeAll(async () => {
  const env = {
    LOCKYARD_WEBHOOK_OPS: 'http://user:geheim@hooks.internal/secret-path',
    LOCKYARD_SIGNING_KEY_OPS: KEY,
    LOCKYARD_WEBHOOK_CHAT: 'slack+http://chat.internal/services/T1/B2',
  };
  api = await ApiHarness.start(env, { clock });
  await createUser(api.cli, { name: 'ana', role: 'admin', password: PASSWORD });
  cookie = await api.signIn('ana', PASSWORD);
});
afterAll(() => api.close());

const ask = (procedure: string) => api.console(cookie, `alerts.${procedure}`, undefined);
const act = (procedure: string, input: object) =>
  api.console(cookie, `alerts.${procedure}`, input, 'mutation');
const audited = async () => {
  const { data } = await api.console(cookie, 'audit.list', { search: 'planned' });
  return (data as { rows: { act: string; outcome: string; subject: string }[] }).rows;
};

test('a silence has a reason and an end, is audited, and can be ended for good', async () => {
  const input = { namespace: 'default', name: 'job*', forMs: 60_000, reason: 'planned' };
  const { data } = await act('silence', input);
  const listed = async () => (await ask('list')).data?.silences;
  expect(await listed()).toMatchObject([{ name: 'job*', reason: 'planned', by: 'ana' }]);
  expect((await act('endSilence', { id: data?.id })).status).toBe(200);
  expect(await listed()).toEqual([]);
  const again = await act('endSilence', { id: data?.id });
  expect([again.status, again.reason]).toEqual([404, 'NOT_FOUND']);
  expect(again.error?.message).toBe('This silence has ended already.');
  const unknown = await act('endSilence', { id: 'other' });
  expect(unknown).toMatchObject({
    status: 404,
    error: { message: 'There is no silence "other".' },
  });
  clock.now = () => systemClock.now() - 30_000;
  forgetAlerts(api.runtime);
  expect(await listed()).toEqual([]);
  clock.now = systemClock.now;
  const [entry] = await audited();
  expect(entry).toMatchObject({ act: 'alert.silence', outcome: 'done' });
});

test('bad silences and rules are refused with a reason', async () => {
  const silence = { namespace: 'default', forMs: 60_000, reason: 'planned' };
  const rules = { ...DEFAULT_ALERT_RULES };
  const bad: [string, object][] = [
    ['silence', { forMs: 60_000, reason: 'everything' }],
    ['silence', { ...silence, forMs: 59_999 }],
    ['silence', { ...silence, forMs: 31 * 24 * 3_600_000 }],
    ['silence', { ...silence, reason: ' ' }],
    ['silence', { ...silence, reason: 'planned \ud800' }],
    ['silence', { ...silence, name: '\ud800' }],
    ['silence', { ...silence, kind: 'other' }],
    ['setRules', { namespace: 'default', rules: { ...rules, stuckForMs: -1 }, reason: 'why not' }],
    ['setRules', { namespace: 'default', rules: { stuckForMs: 1 }, reason: 'why not' }],
    ['setRules', { namespace: 'default', rules: { ...rules, other: 1 }, reason: 'why not' }],
  ];
  for (const [procedure, input] of bad) {
    const { status, reason } = await act(procedure, input);
    expect([procedure, status, reason]).toEqual([procedure, 400, 'INVALID']);
  }
  const unknown = await act('setRules', { namespace: 'none', rules: null, reason: 'why not' });
  expect([unknown.status, unknown.reason]).toEqual([404, 'NOT_FOUND']);
});

test('a namespace may have rules of its own, and go back to the default', async () => {
  const rules = { ...DEFAULT_ALERT_RULES, waitsOverMs: 5_000 };
  await act('setRules', { namespace: 'default', rules, reason: 'planned rules' });
  expect((await ask('rules')).data).toEqual([{ namespace: 'default', rules, isOwn: true }]);
  await act('setRules', { namespace: 'default', rules: null, reason: 'planned rules' });
  expect((await ask('rules')).data).toMatchObject([{ rules: DEFAULT_ALERT_RULES, isOwn: false }]);
});

test('receivers are listed without the secret parts of their addresses', async () => {
  const { text, data } = await ask('list');
  expect(data?.receivers).toMatchObject([
    { id: 'chat', format: 'slack', host: 'chat.internal', sent: 0 },
    { id: 'ops', format: 'webhook', host: 'hooks.internal', sent: 0 },
  ]);
  for (const secret of ['geheim', 'secret-path', 'T1', KEY]) expect(text).not.toContain(secret);
});

test('an alert whose cause ended no longer counts as firing, long before it resolves', async () => {
  const table = new AlertTable(api.runtime.database);
  const alertOn = (kind: AlertKind, name: string | null, firedAt = clock.now()): AlertChange => ({
    alert: {
      ...{ id: 0, kind, backend: 'default', namespace: 'default', name, sentence: 'low' },
      ...{ since: firedAt, firedAt, announcedAt: null, position: 0 },
      ...{ cleared: null, resolvedAt: null },
    },
    isNew: true,
    hasNews: false,
  });
  const earlier = clock.now() - 60_000;
  const alerts = [
    alertOn('backendUnknown', null),
    alertOn('counterNear', 'full'),
    alertOn('counterNear', 'low'),
    // The page lists 200 of them.
    ...Array.from({ length: 200 }, (_, i) => alertOn('stuck', `unread-${i}`, earlier)),
    alertOn('counterNear', 'unlisted', earlier - 1),
  ];
  const write = async () => {
    const position = await table.position();
    await table.write(alerts, position, position);
  };
  // The server may write its own alerts between the two steps.
  await vi.waitFor(write, { timeout: 10_000, interval: 5 });
  const rules = { ...DEFAULT_ALERT_RULES, counterWithin: 5 };
  await act('setRules', { namespace: 'default', rules, reason: 'planned rules' });
  for (const [name, value] of Object.entries({ low: 5, full: 6, unlisted: 6 })) {
    const counter = { namespace: 'default', name, initial: value, floor: 0, reason: 'planned' };
    await api.console(cookie, 'counters.create', counter, 'mutation');
  }
  await expect
    .poll(async () => (await ask('summary')).data, { timeout: 10_000 })
    .toMatchObject({ firing: 201, clear: 3 });
  const { firing, firingTotal } = (await ask('list')).data ?? expect.fail();
  expect(firingTotal).toBe(204);
  expect((firing as object[]).slice(0, 3)).toMatchObject([
    expect.not.objectContaining({ isClear: true }),
    { kind: 'counterNear', name: 'full', isClear: true },
    { kind: 'backendUnknown', isClear: true },
  ]);
});
