import { describe, expect, it } from 'vitest';
import { GALERA, GROUP, MARIADB, MYSQL, TABLES } from '../conformance/testing/sample-mysql-facts';
import type { MysqlFacts } from './mysql-facts';
import { mysqlGuarantees } from './mysql-guarantees';

type Parts = Partial<MysqlFacts>;
type Variables = Record<string, string>;

const on = (base: MysqlFacts, variables: Variables, parts: Parts = {}) =>
  mysqlGuarantees({
    ...base,
    ...parts,
    variables: { ...base.variables, ...variables },
    status: { ...base.status, ...parts.status },
  });

const complaints = ({ settings }: ReturnType<typeof mysqlGuarantees>) =>
  settings.filter(({ complaint }) => complaint !== null).map(({ name }) => name);

describe('a single server that flushes every commit', () => {
  it.each([
    ['MariaDB', MARIADB],
    ['MySQL, with a binary log', MYSQL],
  ])('is Strong, without a complaint: %s', (_, facts) => {
    const guarantees = mysqlGuarantees(facts);
    expect(guarantees).toMatchObject({ level: 'Strong', unsafe: null });
    expect(guarantees.reasons).toHaveLength(1);
    expect(complaints(guarantees)).toEqual([]);
  });

  it('is Strong with a small max_allowed_packet, and says that larger changes are refused', () => {
    const guarantees = on(MARIADB, { max_allowed_packet: '1048576' });
    expect(guarantees.level).toBe('Strong');
    expect(complaints(guarantees)).toEqual(['max_allowed_packet']);
    expect(complaints(on(MARIADB, { max_allowed_packet: '4194304' }))).toEqual([]);
  });

  it('reports what it was not allowed to read, without a lower level', () => {
    const guarantees = mysqlGuarantees(MYSQL);
    const role = guarantees.settings.find(({ name }) => name === 'replica status');
    expect(role?.value).toContain('REPLICATION CLIENT');
    expect(role?.complaint).toBe(null);
    const replicas = guarantees.settings.find(({ name }) => name === 'Slaves_connected');
    expect(replicas).toMatchObject({
      value: expect.stringContaining('not reported'),
      complaint: null,
    });
  });
});

const cases: [what: string, base: MysqlFacts, Variables, Parts, setting: string][] = [
  [
    'flushes once a second',
    MARIADB,
    { innodb_flush_log_at_trx_commit: '2' },
    {},
    'innodb_flush_log_at_trx_commit',
  ],
  [
    'writes once a second',
    MARIADB,
    { innodb_flush_log_at_trx_commit: '0' },
    {},
    'innodb_flush_log_at_trx_commit',
  ],
  [
    'does not say how it flushes',
    MARIADB,
    { innodb_flush_log_at_trx_commit: '' },
    {},
    'innodb_flush_log_at_trx_commit',
  ],
  [
    'never waits for the disk',
    MARIADB,
    { innodb_flush_method: 'nosync' },
    {},
    'innodb_flush_method',
  ],
  ['writes pages once', MARIADB, { innodb_doublewrite: 'OFF' }, {}, 'innodb_doublewrite'],
  ['only finds torn pages', MYSQL, { innodb_doublewrite: 'DETECT_ONLY' }, {}, 'innodb_doublewrite'],
  [
    'has no redo log',
    MYSQL,
    {},
    { status: { innodb_redo_log_enabled: 'OFF' } },
    'Innodb_redo_log_enabled',
  ],
  ['does not flush its binary log', MYSQL, { sync_binlog: '0' }, {}, 'sync_binlog'],
  [
    'flushes its binary log now and then',
    MARIADB,
    { log_bin: 'ON', sync_binlog: '100' },
    {},
    'sync_binlog',
  ],
  [
    'has replicas that it does not wait for',
    MARIADB,
    {},
    { status: { slaves_connected: '2' } },
    'Slaves_connected',
  ],
  [
    'waits for replicas, of which none answers',
    MARIADB,
    { rpl_semi_sync_master_enabled: 'ON' },
    { status: { slaves_connected: '1' } },
    'rpl_semi_sync',
  ],
  [
    'was a replica and is stopped',
    MARIADB,
    {},
    { sources: [{ host: 'db1', isRunning: false }] },
    'replica status',
  ],
  [
    'is the only node of a Galera cluster',
    MARIADB,
    { ...GALERA, innodb_flush_log_at_trx_commit: '1' },
    { status: { wsrep_cluster_size: '1' } },
    'wsrep_cluster_size',
  ],
  [
    'fails over to a member that is behind',
    MYSQL,
    { ...GROUP, group_replication_consistency: 'EVENTUAL' },
    { groupMembers: 3 },
    'group_replication_consistency',
  ],
];

describe('a server is Best-effort, with a complaint and a reason, that', () => {
  it.each(cases)('%s', (_, base, variables, parts, setting) => {
    const guarantees = on(base, variables, parts);
    expect(guarantees).toMatchObject({ level: 'Best-effort', unsafe: null });
    expect(complaints(guarantees)).toEqual([setting]);
    expect(guarantees.reasons[0]).toMatch(/^[A-Z].*\.$/);
  });
});

const timed: [string, MysqlFacts, Variables, Parts][] = [
  [
    'a replica confirms its commits',
    MARIADB,
    { rpl_semi_sync_master_enabled: 'ON' },
    {
      status: {
        rpl_semi_sync_master_status: 'ON',
        rpl_semi_sync_master_clients: '1',
        slaves_connected: '1',
      },
    },
  ],
  ['it is the primary of a replication group', MYSQL, GROUP, { groupMembers: 3 }],
];

describe('a server is Timed if', () => {
  it.each(timed)('%s', (_, base, variables, parts) => {
    const guarantees = on(base, variables, parts);
    expect(guarantees).toMatchObject({ level: 'Timed', unsafe: null });
    expect(complaints(guarantees)).toEqual([]);
  });
});

const unsafe: [string, MysqlFacts, Variables, Parts, RegExp][] = [
  [
    'it is a node of a Galera cluster',
    MARIADB,
    GALERA,
    { status: { wsrep_cluster_size: '3' } },
    /Galera/,
  ],
  [
    'it is a node of a Galera cluster of unknown size',
    MARIADB,
    GALERA,
    { status: { wsrep_cluster_size: '' } },
    /Galera/,
  ],
  [
    'every member of its group takes writes',
    MYSQL,
    { ...GROUP, group_replication_single_primary_mode: 'OFF' },
    { groupMembers: 3 },
    /replication group/,
  ],
  [
    'every member takes writes, however many there are',
    MYSQL,
    { ...GROUP, group_replication_single_primary_mode: 'OFF' },
    {},
    /replication group/,
  ],
  ['it is read-only', MARIADB, { read_only: 'ON' }, {}, /read-only/],
  [
    'it is read-only in one of the newer ways',
    MARIADB,
    { read_only: 'NO_LOCK_NO_ADMIN' },
    {},
    /read-only/,
  ],
  ['it is read-only even to its administrators', MYSQL, { super_read_only: 'ON' }, {}, /read-only/],
  ['its storage is read-only', MYSQL, { innodb_read_only: 'ON' }, {}, /read-only/],
  [
    'it copies another server',
    MARIADB,
    {},
    { sources: [{ host: 'db1', isRunning: true }] },
    /copies another/,
  ],
  [
    'one of its channels runs',
    MYSQL,
    {},
    {
      sources: [
        { host: 'db1', isRunning: false },
        { host: 'db2', isRunning: true },
      ],
    },
    /copies another/,
  ],
  [
    'it copies another and does not let us ask whom',
    MARIADB,
    {},
    { sources: null, status: { slave_running: 'ON' } },
    /copies another/,
  ],
  [
    'its records are not kept by InnoDB',
    MARIADB,
    {},
    { tables: TABLES.map((table) => ({ ...table, engine: 'Aria' })) },
    /not kept by InnoDB/,
  ],
  [
    'names are compared as text',
    MARIADB,
    {},
    {
      tables: [
        {
          name: 'locks',
          engine: 'InnoDB',
          collations: [{ column: 'id', collation: 'utf8mb4_bin' }],
        },
      ],
    },
    /two names that differ/,
  ],
  [
    'request ids are compared without regard to case',
    MYSQL,
    {},
    {
      tables: [
        {
          name: 'lock_requests',
          engine: 'InnoDB',
          collations: [{ column: 'id', collation: 'ascii_general_ci' }],
        },
      ],
    },
    /two names that differ/,
  ],
  [
    'its clock does not advance within a statement',
    MARIADB,
    {},
    { clockAdvances: false },
    /sysdate-is-now/,
  ],
  ['it runs in forced recovery', MARIADB, { innodb_force_recovery: '1' }, {}, /forced recovery/],
];

describe('a server is unsafe, and Best-effort at most, if', () => {
  it.each(unsafe)('%s', (_, base, variables, parts, why) => {
    const guarantees = on(base, variables, parts);
    expect(guarantees.level).toBe('Best-effort');
    expect(guarantees.unsafe).toMatch(why);
    expect(guarantees.reasons[0]).toBe(guarantees.unsafe);
    expect(complaints(guarantees).length).toBeGreaterThan(0);
  });
});

it('a group with one writable member is not refused because of absent ones', () => {
  const variables = { ...GROUP, group_replication_single_primary_mode: 'OFF' };
  expect(on(MYSQL, variables, { groupMembers: 1 }).unsafe).toBe(null);
});

it('a binary log of statements is reported: swaps fail with it', () => {
  expect(complaints(on(MYSQL, { binlog_format: 'STATEMENT' }))).toEqual(['binlog_format']);
});

it('every reason is listed once, the most serious first', () => {
  const guarantees = on(
    MARIADB,
    { ...GALERA, sync_binlog: '0', log_bin: 'ON' },
    { status: { wsrep_cluster_size: '3' } },
  );
  expect(guarantees.reasons[0]).toContain('Galera');
  expect(new Set(guarantees.reasons).size).toBe(guarantees.reasons.length);
  expect(guarantees.reasons).toHaveLength(3);
});
