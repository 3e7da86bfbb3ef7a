import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { connectionRefusal } from '@/db/mysql/connection-refusal';
import { mysqlTls } from '@/db/mysql/mysql-tls';
import { OWN_SESSION } from '@/db/mysql/own-session';
import { TimeLimit } from '../../platform/time-limit';
import { StoreError } from '../record-store';

/** What a MySQL or MariaDB server reports that matters for locks. Names are in lower case. */
export interface MysqlFacts {
  version: string;
  /** The global variables of `VARIABLES` that the server has. */
  variables: Record<string, string>;
  /** The same for `STATUS`. */
  status: Record<string, string>;
  /** The servers that this one copies, one for each channel; null: not permitted to ask. */
  sources: ReplicationSource[] | null;
  /** Responding members of the replication group; null: not permitted, or there is no group. */
  groupMembers: number | null;
  /** Whether `SYSDATE` advances within a statement. */
  clockAdvances: boolean;
  tables: TableFacts[];
}

export interface ReplicationSource {
  host: string;
  /** Whether the replica currently fetches or applies the writes of this server. */
  isRunning: boolean;
}

export interface TableFacts {
  name: string;
  engine: string;
  /** Collations of the columns by which records are found and compared; null: compared by byte. */
  collations: { column: string; collation: string | null }[];
}

/** Read by name: a server leaves out those that it does not have. */
const VARIABLES = [
  'innodb_flush_log_at_trx_commit',
  'innodb_flush_method',
  'innodb_doublewrite',
  'innodb_force_recovery',
  'innodb_rollback_on_timeout',
  'max_allowed_packet',
  'max_connections',
  'log_bin',
  'sync_binlog',
  'binlog_format',
  'read_only',
  'super_read_only',
  'innodb_read_only',
  'rpl_semi_sync_master_enabled',
  'rpl_semi_sync_source_enabled',
  'wsrep_on',
  'wsrep_provider',
  'group_replication_group_name',
  'group_replication_single_primary_mode',
  'group_replication_consistency',
];

const STATUS = [
  'innodb_redo_log_enabled',
  'wsrep_cluster_size',
  'slave_running',
  'slaves_connected',
  'max_used_connections',
  'rpl_semi_sync_master_status',
  'rpl_semi_sync_source_status',
  'rpl_semi_sync_master_clients',
  'rpl_semi_sync_source_clients',
];

/** Columns that identify records or writers. */
const KEY_COLUMNS = { locks: ['id', 'writer'], lock_requests: ['id'] };

const TABLES = [...Object.keys(KEY_COLUMNS), 'lock_history'];

/**
 * MySQL and MariaDB error numbers for "not allowed" (no privilege for it, its table or its column)
 * and for names that the server does not know.
 */
const NOT_ALLOWED = [1044, 1045, 1142, 1143, 1227, 1370];
const NOT_KNOWN = [1064, 1146, 1109, 1049];

/**
 * Reads the settings that decide how safe locks are there, over a connection of its own, so that a
 * failure costs no lock. Needs no privilege beyond those on the tables; what may not be read is
 * reported as such.
 *
 * @throws StoreError `applied: 'no'`
 */
export async function readMysqlFacts(uri: string, timeoutMs: number): Promise<MysqlFacts> {
  let connection: Connection | undefined;
  const timeLimit = new TimeLimit(timeoutMs, () => new Error('No answer in time.'));
  const read = async () => {
    connection = await createConnection({ uri, ...mysqlTls(uri), connectTimeout: timeoutMs });
    connection.on('error', () => undefined);
    await connection.query(OWN_SESSION);
    return factsOf(connection);
  };
  const reading = read();
  reading.catch(() => undefined);
  try {
    return await timeLimit.race(reading);
  } catch (cause) {
    const why = connectionRefusal(cause);
    const refusal = why && `The database cannot be used: ${why}.`;
    throw new StoreError('The settings of the database could not be read.', 'no', {
      cause,
      refusal,
    });
  } finally {
    timeLimit.stop();
    connection?.destroy();
    void reading.finally(() => connection?.destroy()).catch(() => undefined);
  }
}

async function factsOf(connection: Connection): Promise<MysqlFacts> {
  const rows = (sql: string, values: unknown[] = []) => rowsOf(connection, sql, values);
  const [clock] = await rows(
    'SELECT VERSION() AS version, SLEEP(0.002) AS slept, SYSDATE(6) > NOW(6) AS moves',
  );
  const version = text(clock?.version);
  const variables = named(
    await rows('SHOW GLOBAL VARIABLES WHERE Variable_name IN (?)', [VARIABLES]),
  );
  const status = named(await rows('SHOW GLOBAL STATUS WHERE Variable_name IN (?)', [STATUS]));
  return {
    version,
    variables,
    status,
    sources: await sourcesOf(connection, version),
    groupMembers: variables.group_replication_group_name ? await membersOf(connection) : null,
    clockAdvances: Number(clock?.moves) === 1,
    tables: await tablesOf(rows),
  };
}

async function tablesOf(rows: (sql: string, values: unknown[]) => Promise<RowDataPacket[]>) {
  const engines = await rows(
    'SELECT table_name AS name, engine AS engine FROM information_schema.tables WHERE ' +
      'table_schema = DATABASE() AND table_name IN (?)',
    [TABLES],
  );
  const columns = await rows(
    'SELECT table_name AS name, column_name AS col, collation_name AS coll FROM ' +
      'information_schema.columns WHERE table_schema = DATABASE() AND table_name IN (?)',
    [TABLES],
  );
  return engines.map(({ name, engine }): TableFacts => {
    const keys: string[] = KEY_COLUMNS[name as keyof typeof KEY_COLUMNS] ?? [];
    const collations = columns
      .filter((column) => column.name === name && keys.includes(column.col))
      .map(({ col, coll }) => ({
        column: text(col),
        collation: coll === null ? null : text(coll),
      }));
    return { name: text(name), engine: text(engine), collations };
  });
}

/** The statement that lists the copied servers depends on this server's kind and version. */
async function sourcesOf(
  connection: Connection,
  version: string,
): Promise<ReplicationSource[] | null> {
  const statements = /mariadb/i.test(version)
    ? ['SHOW ALL SLAVES STATUS']
    : ['SHOW REPLICA STATUS', 'SHOW SLAVE STATUS'];
  for (const sql of statements) {
    const answer = await ifAllowed(rowsOf(connection, sql));
    if (answer === 'not known') continue;
    if (answer === 'not allowed') return null;
    return answer.map((row) => {
      const threads = [
        row.Slave_IO_Running ?? row.Replica_IO_Running,
        row.Slave_SQL_Running ?? row.Replica_SQL_Running,
      ];
      return {
        host: text(row.Master_Host ?? row.Source_Host),
        isRunning: threads.some((state) => state !== undefined && state !== 'No'),
      };
    });
  }
  return null;
}

async function membersOf(connection: Connection): Promise<number | null> {
  const answer = await ifAllowed(
    rowsOf(
      connection,
      'SELECT COUNT(*) AS members FROM performance_schema.replication_group_members ' +
        "WHERE member_state = 'ONLINE'",
    ),
  );
  return typeof answer === 'string' ? null : Number(answer[0]?.members);
}

async function ifAllowed(
  rows: Promise<RowDataPacket[]>,
): Promise<RowDataPacket[] | 'not allowed' | 'not known'> {
  try {
    return await rows;
  } catch (error) {
    const { errno = 0 } = error as { errno?: number };
    if (NOT_ALLOWED.includes(errno)) return 'not allowed';
    if (NOT_KNOWN.includes(errno)) return 'not known';
    throw error;
  }
}

async function rowsOf(connection: Connection, sql: string, values: unknown[] = []) {
  const [rows] = await connection.query<RowDataPacket[]>(sql, values);
  return rows;
}

/** Variables and status have two columns; the case of the names depends on the server. */
function named(rows: RowDataPacket[]): Record<string, string> {
  return Object.fromEntries(
    rows.map((row) => [text(row.Variable_name).toLowerCase(), text(row.Value)]),
  );
}

const text = (value: unknown): string =>
  value === null || value === undefined ? '' : String(value);
