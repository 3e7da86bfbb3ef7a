import { expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../core/time-units';
import { keyFindings, upkeepFindings } from './access-findings';
import { backendFindings } from './backend-findings';
import { gateFindings } from './gate-findings';
import { jobFindings } from './job-findings';
import {
  diskFinding,
  filesFinding,
  memoryFinding,
  nodeFinding,
  schemaFinding,
} from './process-findings';

const NOW = Date.UTC(2026, 10, 22);

const HEALTH = {
  id: 'orders',
  kind: 'mysql',
  reachable: true,
  latencyMs: 1.4,
  silentForMs: 0,
  clockOffsetMs: 0,
};

test.each([
  ['in step', {}, 'ok', /1 ms a round trip/],
  ['away', { reachable: false, silentForMs: 63_000 }, 'problem', /has not responded for 1 min 3 s/],
  ['ahead', { clockOffsetMs: 90_000 }, 'warning', /1 min 30 s ahead of this machine/],
  ['behind', { clockOffsetMs: -3_000 }, 'warning', /3 s behind this machine/],
  ['slow', { latencyMs: 250 }, 'warning', /a round trip takes 250 ms/],
  ['refusing', { reachable: false, refusal: 'It is a replica.' }, 'problem', /^It is a replica\.$/],
])('a backend that is %s', (_, facts, level, says) => {
  const [found, ...others] = backendFindings({ ...HEALTH, ...facts }, null);
  expect(others).toEqual([]);
  expect(found).toMatchObject({ subject: 'backend orders', level });
  expect(found?.says).toMatch(says);
});

test('of a sharded backend, the shard that rejects requests is named, with the reason', () => {
  const shards = [
    { ...HEALTH, id: 'orders.a', name: 'db1/a' },
    { ...HEALTH, id: 'orders.b', name: 'db2/b', reachable: false, refusal: 'It is read-only.' },
    { ...HEALTH, id: 'orders.c', name: 'db3/c', reachable: false, silentForMs: 63_000 },
  ];
  const says = (refusal: string | null) =>
    backendFindings({ ...HEALTH, reachable: false, refusal, shards }, null).map(
      (found) => `${found.subject}: ${found.level}: ${found.says}`,
    );
  const ofShards = [
    'backend orders db1/a: ok: mysql responds, 1 ms a round trip, clocks agree',
    'backend orders db2/b: problem: It is read-only.',
    'backend orders db3/c: problem: mysql, has not responded for 1 min 3 s',
  ];
  expect(says(null)).toEqual(ofShards);
  expect(says('Another list.')).toEqual(['backend orders: problem: Another list.', ...ofShards]);
});

test('settings that cannot be read are a finding only of a backend that responds', () => {
  const reading = { level: 'Timed' as const, reasons: [], settings: [], unsafe: null };
  const dated = { ...reading, at: 0, ageMs: 0 };
  const guarantee = { backend: 'orders', reading: dated, isAllowed: false, closedBecause: null };
  const problems = (reachable: boolean) =>
    backendFindings({ ...HEALTH, reachable }, { ...guarantee, isFailing: true })
      .filter(({ level }) => level !== 'ok')
      .map(({ says }) => says);
  expect(problems(true)).toEqual(['its settings cannot be read']);
  expect(problems(false)).toEqual([expect.stringContaining('has not responded')]);
});

test('a silent, wiped or missing gate is a warning; a healthy or unused one is not', () => {
  const used = { gate: 'cache', backend: 'default', isUp: true, readyInMs: 0 };
  const levels = (more: Partial<typeof used>, wanted = 'cache') => {
    const facts = {
      configured: ['cache', 'spare'],
      wanted: [{ namespace: 'shop', gate: wanted }],
      used: [{ ...used, ...more }],
    };
    return gateFindings(facts).map(({ subject, level, says }) => `${subject}: ${level}: ${says}`);
  };
  const spare = 'gate spare: ok: not used since this server started';
  const good = 'gate cache: ok: responds, in front of backend default';
  expect(levels({})).toEqual([good, spare]);
  expect(levels({ isUp: false })).toEqual([
    'gate cache: warning: does not respond: every counter step goes to backend default',
    spare,
  ]);
  expect(levels({ readyInMs: 4_200 })).toEqual([
    'gate cache: warning: was wiped or restarted: it refuses nothing for 4 s',
    spare,
  ]);
  expect(levels({}, 'gone')).toEqual([
    'gate gone: warning: this server lacks it: counters of shop work without a gate',
    good,
    spare,
  ]);
});

test('every complaint about a setting is a warning with its remedy', () => {
  const settings = [
    { name: 'innodb_flush_log_at_trx_commit', value: '2', complaint: 'Must be 1.' },
    { name: 'version', value: '10.11', complaint: null },
    { name: 'zk1:2181 Mode', value: 'standalone', complaint: 'One server alone.' },
  ];
  const reading = { level: 'Timed' as const, reasons: [], settings, unsafe: null, at: 0, ageMs: 0 };
  const row = {
    backend: 'orders',
    reading,
    isFailing: false,
    isAllowed: false,
    closedBecause: null,
  };
  const found = backendFindings(HEALTH, row).filter(({ level }) => level === 'warning');
  expect(found.map(({ says, advice }) => [says, advice])).toEqual([
    [
      'innodb_flush_log_at_trx_commit is 2. Must be 1.',
      'Set innodb_flush_log_at_trx_commit = 1: see docs/backends.md#mysql-and-mariadb.',
    ],
    [
      'zk1:2181 Mode is standalone. One server alone.',
      'Run three or five servers as one ensemble: see docs/backends.md#mysql-and-mariadb.',
    ],
  ]);
});

const JOB = {
  job: 'follow orders',
  running: 1,
  runs: 9,
  failures: 0,
  isFailing: false,
  sinceSuccessMs: 100,
  everyMs: 150,
};
const HERE = { runner: 'a1', isHere: true };

test('late jobs, failing jobs and unrecorded history are named', () => {
  const levels = (found: { level: string }[]) => found.map(({ level }) => level);
  const recording = { store: 'orders', lagMs: 300, unreadableCommits: 0 };
  expect(levels(jobFindings([JOB], HERE, [recording]))).toEqual(Array(3).fill('ok'));
  const late = jobFindings([{ ...JOB, sinceSuccessMs: 40_000 }], HERE, []);
  expect(late[0]).toMatchObject({ level: 'problem', says: expect.stringContaining('40 s') });
  const failing = jobFindings([{ ...JOB, isFailing: true, failures: 3 }], HERE, []);
  expect(failing[0]).toMatchObject({ level: 'warning', says: expect.stringContaining('3 times') });
  const lagging = jobFindings([JOB], HERE, [{ ...recording, lagMs: 120_000 }]);
  expect(lagging.at(-1)).toMatchObject({ level: 'problem', subject: 'event recorder' });
  const skipping = jobFindings([JOB], HERE, [{ ...recording, unreadableCommits: 2 }]);
  const skipped = { level: 'warning', says: expect.stringContaining('2 commits of orders') };
  expect(skipping).toContainEqual(expect.objectContaining(skipped));
  const none = jobFindings([JOB], { runner: null, isHere: false }, []);
  expect(none.at(-1)).toMatchObject({ level: 'problem', subject: 'maintenance' });
});

test('keys that expire soon, have expired in use, or are unused are named', () => {
  const key = {
    name: 'billing',
    createdAt: NOW - 200 * DAY_MS,
    lastUsedAt: NOW - DAY_MS,
    revokedAt: null,
  };
  const found = keyFindings(
    [
      { ...key, name: 'fine', expiresAt: NOW + 90 * DAY_MS },
      { ...key, name: 'soon', expiresAt: NOW + 3 * DAY_MS },
      { ...key, name: 'over', expiresAt: NOW - 3_600_000 },
      { ...key, name: 'idle', lastUsedAt: null },
      { ...key, name: 'gone', lastUsedAt: null, revokedAt: NOW },
    ],
    NOW,
  );
  expect(found.map(({ subject, level, says }) => [subject, level, says])).toEqual([
    ['API key soon', 'warning', 'expires in 3 d'],
    ['API key over', 'problem', 'expired 1 h ago, and was in use'],
    ['API key idle', 'warning', 'was not used for 200 d'],
  ]);
});

test('keys that have expired are not counted among those that work', () => {
  const works = { name: 'a', createdAt: NOW, lastUsedAt: null, revokedAt: null };
  const over = { ...works, lastUsedAt: NOW - 90 * DAY_MS, expiresAt: NOW - 80 * DAY_MS };
  const stored = { ...over, revokedAt: over.expiresAt };
  expect(keyFindings([works, over, stored], NOW)).toMatchObject([
    { subject: 'API keys', says: '1, none expires soon' },
  ]);
});

test('the advice given when there is no admin works', () => {
  const upkeep = { admins: 0, backupAt: NOW, receivers: 1, failing: [], now: NOW };
  const adviceFor = (users: number) => upkeepFindings({ ...upkeep, users })[0]?.advice;
  // A demo prints its own link, not the setup link, which is refused once there is a user.
  expect(adviceFor(0)).toBe('Open the link that the server printed.');
  expect(adviceFor(1)).toContain('users create --name NAME --role admin');
});

test('an expired key is named if a program may still use it, with advice', () => {
  const expiresAt = NOW - HOUR_MS;
  const adviceFor = (lastUsedAt: number, replacedBy: string | null) => {
    const key = {
      name: 'a',
      createdAt: 0,
      lastUsedAt,
      revokedAt: expiresAt,
      expiresAt,
      replacedBy,
    };
    return keyFindings([key], NOW).map(({ level, advice }) => `${level}: ${advice}`);
  };
  const lapsed = 'problem: Create a new key, and give it to the service.';
  expect(adviceFor(expiresAt - DAY_MS, null)).toEqual([lapsed]);
  const late = 'problem: Give the service the key that took its place, k2.';
  expect(adviceFor(expiresAt - HOUR_MS / 2, 'k2')).toEqual([late]);
  expect(adviceFor(expiresAt - DAY_MS, 'k2')).toEqual(['ok: null']);
});

test('a receiver that fails is a problem, an old backup a warning', () => {
  const found = upkeepFindings({
    users: 3,
    admins: 2,
    backupAt: NOW - 8 * DAY_MS,
    receivers: 1,
    failing: [{ id: 'ops', failure: '500' }],
    now: NOW,
  });
  expect(found.map(({ subject, level }) => `${subject} ${level}`)).toEqual([
    'users ok',
    'backups warning',
    'alert receiver ops problem',
    'alerts ok',
  ]);
});

test.each([
  [nodeFinding('18.20.0', NOW), 'problem'],
  [nodeFinding('20.19.0', NOW), 'warning'],
  [nodeFinding('23.1.0', NOW), 'warning'],
  [nodeFinding('24.1.0', NOW), 'ok'],
  [nodeFinding('24.1.0', Date.parse('2028-04-30T23:00Z')), 'ok'],
  [nodeFinding('24.1.0', Date.parse('2028-05-01T00:00Z')), 'warning'],
  [diskFinding(5e9, 9e9), 'ok'],
  [diskFinding(0.5e9, 9e9), 'warning'],
  [diskFinding(0.1e9, 9e9), 'problem'],
  [filesFinding(1_024, 40), 'warning'],
  [filesFinding(1_024, 1_000), 'problem'],
  [filesFinding(65_536, 40), 'ok'],
  [filesFinding(null, null), 'ok'],
  [schemaFinding(41, 41), 'ok'],
  [schemaFinding(42, 41), 'problem'],
  [schemaFinding(40, 41), 'problem'],
  [memoryFinding(0.78, 5_000, '1.0.0').at(-1), 'warning'],
])('%o is a %s', (found, level) => {
  expect(found?.level).toBe(level);
});
