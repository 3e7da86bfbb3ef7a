import { afterEach, describe, expect, test } from 'vitest';
import { newTestLocation, TEST_DIALECTS } from '@/db/testing/test-database';
import { consoleRouter } from '@/server/api/rpc/console/console-router';
import { procedureKinds } from '@/server/api/rpc/procedure-kinds';
import { newSeed, seeded } from '@/server/engine/testing/seeded';
import { createUser } from '@/server/operations/users/create-user';
import { ApiHarness } from '@/test/api-harness';

const PASSWORD = 'plough the seventh field';
const CALLS = 400;

const LOCK = { namespace: 'default', name: 'job' };
const COUNTER = { namespace: 'default', name: 'stock' };
const WHY = { reason: 'an attack' };
const NO_BOUNDS = { floor: null, ceiling: null };
const SEEN = { ...LOCK, token: 1, rev: 1, requestId: 'r', ...WHY };

/** What every signed-in user may query, as pages do it. */
const QUERIES: Record<string, object | undefined> = {
  'session.current': undefined,
  'session.list': undefined,
  'locks.list': { status: 'held', namespace: 'default', search: 'j', sort: 'worst', limit: 9 },
  'locks.detail': LOCK,
  'locks.events': { ...LOCK, before: '9.9.9', limit: 5 },
  'locks.previewDeletion': { namespace: 'default', kind: 'lock', prefix: 'j' },
  'counters.list': { search: 's', limit: 4 },
  'counters.detail': COUNTER,
  'counters.moves': { ...COUNTER, before: '9.9.9', limit: 3 },
  'counters.courses': { search: 's', limit: 4 },
  'counters.course': COUNTER,
  'past.range': undefined,
  'past.change': { at: 5_000_000, direction: 'next', of: 'locks', ...LOCK },
  'past.minute': { at: 5_000_000 },
  'insights.lock': { ...LOCK, range: '1h' },
  'insights.fleet': undefined,
  'insights.timeline': { ...LOCK, spanMs: 60_000, to: 5_000_000 },
  'insights.overview': { range: '1h' },
  'insights.incidents': { before: 9, since: 1, limit: 3 },
  'insights.incident': { id: 1 },
  'views.list': undefined,
  'waits.graph': undefined,
  'waits.deadlocks': undefined,
  'waits.deadlocked': undefined,
  'holders.list': undefined,
  'holders.process': { process: 'p1' },
  'locks.presence': undefined,
  'alerts.list': undefined,
  'alerts.summary': undefined,
  'alerts.rules': undefined,
  'audit.list': { act: 'lock.extend', outcome: 'done', search: 'a', before: 5, limit: 3 },
  'keys.list': { before: '5000000.key', limit: 3 },
  'people.list': undefined,
  'namespaces.list': undefined,
  'namespaces.filling': undefined,
  'namespaces.gates': undefined,
  'backends.list': undefined,
  'backends.courses': undefined,
  'backends.guarantees': undefined,
  'backends.shards': { backend: 'default', shard: 'a', search: 'b', after: 'c', limit: 4 },
  'backends.home': { backend: 'default', namespace: 'default', name: 'x' },
  'lab.preflight': { again: false },
  // A file that only a build creates; its absence must not look like an unavailable database.
  'lab.source': { id: 'row-lock' },
  'lab.runs': { limit: 2 },
  'lab.run': { id: 'none' },
};

/** What a viewer must never be able to do. */
const ACTS: Record<string, object> = {
  'locks.forceRelease': SEEN,
  'locks.reassign': { ...SEEN, ticket: 1 },
  'locks.takeOn': { ...LOCK, token: null },
  'locks.stepBack': LOCK,
  'locks.extend': { ...SEEN, extendMs: 1_000 },
  'locks.askRelease': SEEN,
  'locks.stopRenewals': SEEN,
  'locks.freeze': { ...LOCK, rev: 1, ...WHY },
  'locks.unfreeze': { ...LOCK, rev: 1, ...WHY },
  'locks.delete': { namespace: 'default', kind: 'lock', prefix: 'j', atMost: 1, ...WHY },
  'locks.setCapacity': { ...LOCK, rev: 1, seenCapacity: 2, capacity: 3, ...WHY },
  'counters.create': { ...COUNTER, floor: 0, initial: 1, ...WHY },
  'counters.adjustBy': { ...COUNTER, rev: 1, delta: 5, ...WHY },
  'counters.adjust': { ...COUNTER, rev: 1, seenValue: 0, value: 5, ...WHY },
  'counters.setBounds': { ...COUNTER, rev: 1, seenBounds: NO_BOUNDS, bounds: NO_BOUNDS, ...WHY },
  'counters.reconcile': { ...COUNTER, rev: 1, seenValue: 0, seenFastValue: null, ...WHY },
  'keys.create': { name: 'mine', namespaces: ['default'] },
  'keys.change': { id: 'x', expiresAt: null },
  'keys.rotate': { id: 'x', graceMs: 60_000 },
  'keys.revoke': { id: 'x' },
  'people.create': { name: 'mallory', role: 'admin', password: PASSWORD },
  'people.setRole': { id: 'x', role: 'admin' },
  'people.setDisabled': { id: 'x', disabled: true },
  'people.resetPassword': { id: 'x', password: PASSWORD },
  'people.endSessions': { id: 'x' },
  'namespaces.create': { name: 'mine', backend: 'default' },
  'namespaces.setPolicy': { name: 'default', policy: null, ...WHY },
  'alerts.silence': { namespace: 'default', forMs: 60_000, ...WHY },
  'alerts.endSilence': { id: 'x' },
  'alerts.setRules': { namespace: 'default', rules: null, ...WHY },
  'backends.readGuarantees': { backend: 'default' },
  'lab.start': { strategies: ['optimistic-version'], workers: 1, stock: 1 },
  'lab.stop': { id: 'none' },
};

/** These change only the user's own session and views, and are open to every role. */
const OWN_ACTS = [
  ...['setup', 'signIn', 'signOut', 'changePassword', 'end', 'endOthers'].map(
    (x) => `session.${x}`,
  ),
  ...['save', 'change', 'delete'].map((x) => `views.${x}`),
];

const ODD_VALUES: unknown[] = [
  ...[null, true, 0, -1, 1.5, 1e21, 2 ** 53, '', ' ', '\0', 'a\0b', '\ud800', '\u202e', '💥'],
  ...['é'.repeat(101), '💥'.repeat(50), "'; --", '%', '_', '\\', '!', '__proto__', 'constructor'],
  ...['.lockyard', 'DEFAULT', '../..', '1.1.1', '9999999999999999.999999999999999.999999', '-1'],
  ...[[], [[]], {}, { length: 5 }, ['a', 'b'], 'x'.repeat(20_000)],
];

let api: ApiHarness | null = null;
let drop: () => Promise<void> = async () => {};
afterEach(async () => {
  await api?.close();
  await drop();
});

test('an input of very many fields is refused before any is checked', async () => {
  api = await ApiHarness.start();
  await createUser(api.cli, { name: 'vera', role: 'viewer', password: PASSWORD });
  const cookie = await api.signIn('vera', PASSWORD);
  const many = Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`x${i}`, '']));
  for (const kind of ['query', 'mutation'] as const) {
    const procedure = kind === 'query' ? 'locks.list' : 'locks.freeze';
    const { reason, error } = await api.console(cookie, procedure, many, kind);
    expect([reason, error?.message]).toEqual(['INVALID', 'An object may have at most 200 fields.']);
  }
});

test('every procedure of the console is in the list of those tested with a hostile viewer', () => {
  const kinds = [...procedureKinds(consoleRouter)].filter(([name]) => !OWN_ACTS.includes(name));
  const named = (kind: string) => kinds.filter(([, one]) => one === kind).map(([name]) => name);
  expect(Object.keys(QUERIES).sort()).toEqual(named('query').sort());
  expect(Object.keys(ACTS).sort()).toEqual(named('mutation').sort());
});

describe.each(TEST_DIALECTS)('over %s', (dialect) => {
  test('a viewer who sends arbitrary input always gets a reason, and changes nothing', async () => {
    const place = await newTestLocation(dialect);
    drop = () => place.remove();
    const { url } = place;
    const LOCKYARD_DATABASE_URL = url.kind === 'mysql' ? url.url : `sqlite:${url.path}`;
    const server = await ApiHarness.start({ LOCKYARD_DATABASE_URL });
    api = server;
    await createUser(server.cli, { name: 'vera', role: 'viewer', password: PASSWORD });
    const cookie = await server.signIn('vera', PASSWORD);
    const key = await server.key('orders');
    const ask = { name: 'job', owner: 'w', leaseMs: 3_600_000 };
    const held = (await server.post(key, 'lock.acquire', ask)).data as {
      token: number;
      rev: number;
    };
    await server.post(key, 'counter.create', { name: 'stock' });

    const send = (procedure: string, sent: unknown, isAct: boolean) =>
      server.console(cookie, procedure, sent, isAct ? 'mutation' : 'query');
    for (const [procedure, input] of Object.entries(QUERIES)) {
      expect((await send(procedure, input, false)).reason, procedure).not.toBe('INVALID');
    }
    for (const [procedure, input] of Object.entries(ACTS)) {
      expect((await send(procedure, input, true)).reason, procedure).toBe('FORBIDDEN');
    }

    const seed = newSeed();
    const random = seeded(seed);
    const oneOf = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;
    const spoilt = (input: object | undefined): unknown => {
      const fields = Object.entries(input ?? {});
      const [field] = fields.length > 0 ? oneOf(fields) : ['odd'];
      const dice = random();
      if (dice < 0.1) return input;
      if (dice < 0.2) return oneOf(ODD_VALUES);
      return { ...input, [field]: oneOf(ODD_VALUES) };
    };
    for (let i = 0; i < CALLS; i += 1) {
      const isAct = random() < 0.3;
      const [procedure, input] = oneOf(Object.entries(isAct ? ACTS : QUERIES));
      const sent = spoilt(input);
      const reply = await send(procedure, sent, isAct);
      const what = `seed ${seed}: ${procedure} ${JSON.stringify(sent)} -> ${reply.text}`;
      expect(reply.status, what).toBeLessThan(500);
      if (isAct) expect(['FORBIDDEN', 'INVALID'], what).toContain(reply.reason);
    }

    const answer = await server.get(key, 'lock.inspect', { name: 'job' });
    expect(answer.data).toMatchObject({ state: 'held', holders: [{ token: held.token }] });
    expect(answer.data?.rev).toBe(held.rev);
  });
});
