import mysql, { type Connection, type QueryError } from 'mysql2';
import { connectionRefusal } from '@/db/mysql/connection-refusal';
import { DEADLOCK, LOCK_WAIT_TIMEOUT, ROW_CHANGED } from '@/db/mysql/mysql-errors';
import { KEEP_ALIVE_MS, mysqlTls } from '@/db/mysql/mysql-tls';
import { OWN_SESSION, STRICT_MODE } from '@/db/mysql/own-session';
import { TimeLimit } from '../../platform/time-limit';
import { StoreError } from '../record-store';
import { OTHER_STAMP } from '../sharding/epoch-fence';
import { mysqlRefusal } from './mysql-refusal';
import { type MysqlServer, mysqlServer, READ_SERVER } from './mysql-server';
import { GUARD_FAILED, VALUE_MISSING } from './packets/guard';
import type { Packet, Rows } from './packets/packet';

/** The error number with which a server refuses a packet larger than its `max_allowed_packet`. */
export const PACKET_TOO_LARGE = 1153;
export const NO_SUCH_TABLE = 1146;

/** The most bytes that a packet holds besides the text of its statements. */
const PACKET_HEAD_BYTES = 64;

/** The most bytes in UTF-8 for one UTF-16 code unit. */
const CHAR_BYTES = 3;

const CONNECT_TIMEOUT_MS = 2_000;
const ROLLBACK_TIMEOUT_MS = 500;

/** Errors with a transient cause: the same packet may succeed after a rollback. */
const CONFLICTS = [DEADLOCK, LOCK_WAIT_TIMEOUT, ROW_CHANGED];

/**
 * The session settings that every statement of the store relies on. Those after `OWN_SESSION`: a
 * backslash in a text is a backslash, a statement waits at most 1 s for a row or a table, and gaps
 * are not locked. That wait is shorter than the timeout of a packet, so its result is known, and no
 * statement keeps waiting at the server after its connection was given up.
 */
const SESSION = [
  OWN_SESSION,
  `SET SESSION sql_mode = '${STRICT_MODE},NO_BACKSLASH_ESCAPES'`,
  'SET SESSION innodb_lock_wait_timeout = 1, lock_wait_timeout = 1',
  'SET SESSION group_concat_max_len = 16777216',
  'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
  // Last, because its answer is read.
  READ_SERVER,
];

/**
 * Literals are sent as bytes in UTF-8, which the server neither converts nor labels with a
 * character set; results are UTF-8 too. For MariaDB from 10.5, where every statement of the store
 * is tested with this setting.
 */
const LITERALS_AS_BYTES = 'SET NAMES binary, character_set_results = utf8mb4';

interface OpenConnection {
  connection: Connection;
  server: MysqlServer;
}

/** A connection for one packet at a time. Opens on demand, also after a failure; never resends. */
export class MysqlConnection {
  private opened: OpenConnection | null = null;
  private isOpening = false;
  /** Whether the connection of the packet under way was left while it was being opened. */
  private isLeft = false;
  private isClosed = false;

  constructor(
    private readonly uri: string,
    private readonly timeoutMs: number,
  ) {}

  get isOpen(): boolean {
    return this.opened !== null;
  }

  /** Sends one packet of statements and returns the rows of each. Throws as `exchange`. */
  packet(statements: string[]): Promise<Rows[]> {
    return this.exchange(() => ({ statements, read: (answers) => answers }));
  }

  /**
   * Sends one packet and returns what its `read` makes of the answers.
   *
   * @param write makes the packet for the server that it is sent to
   * @throws StoreError `applied: 'no'` if it was never sent or was rolled back, `'unknown'`
   *   otherwise. After any error no transaction is left open: the connection is rolled back or
   *   closed. A packet larger than the server accepts is never sent: then the cause has the `errno`
   *   `PACKET_TOO_LARGE`.
   */
  async exchange<T>(write: (server: MysqlServer) => Packet<T>): Promise<T> {
    const timeLimit = new TimeLimit(this.timeoutMs, noAnswer);
    try {
      const { connection, server } = this.opened ?? (await this.open(timeLimit));
      const { statements, read } = write(server);
      refuseTooLarge(statements, server.packetBytesMax);
      try {
        return read(await timeLimit.race(send(connection, statements)));
      } catch (error) {
        throw await this.cleanUp(connection, error as QueryError);
      }
    } finally {
      timeLimit.stop();
      if (this.isLeft) this.leave();
    }
  }

  /** Makes the next packet open another connection. A packet under way is still answered. */
  leave(): void {
    this.isLeft = this.isOpening;
    this.opened?.connection.end();
    this.opened = null;
  }

  /** Permanent: every later call fails. */
  close(): void {
    this.isClosed = true;
    this.opened?.connection.destroy();
    this.opened = null;
  }

  private async open(timeLimit: TimeLimit): Promise<OpenConnection> {
    if (this.isClosed) throw storeClosed();
    const connection = mysql.createConnection({
      uri: this.uri,
      ...mysqlTls(this.uri),
      multipleStatements: true,
      rowsAsArray: true,
      supportBigNumbers: true,
      connectTimeout: CONNECT_TIMEOUT_MS,
      keepAliveInitialDelay: KEEP_ALIVE_MS,
      flags: [
        // Affected rows are changed rows, not matched ones. No swap reads them; should one do so,
        // their meaning is fixed.
        '-FOUND_ROWS',
        // With session tracking the driver learns of the character set `binary`, and would send
        // texts as Latin 1.
        '-SESSION_TRACK',
      ],
      // Packets have no placeholders; searching for them would only cost time.
      queryFormat: (sql) => sql,
    });
    connection.on('error', () => this.drop(connection));
    let server: MysqlServer;
    this.isOpening = true;
    try {
      const answers = await timeLimit.race(send(connection, SESSION));
      server = mysqlServer(answers.at(-1) ?? []);
      if (server.hasReturning) await timeLimit.race(send(connection, [LITERALS_AS_BYTES]));
    } catch (cause) {
      connection.destroy();
      const why = connectionRefusal(cause);
      const refusal = why && `The database cannot be used: ${why}.`;
      throw new StoreError(refusal ?? 'The database cannot be reached.', 'no', { cause, refusal });
    } finally {
      this.isOpening = false;
    }
    if (this.isClosed) {
      connection.destroy();
      throw storeClosed();
    }
    this.opened = { connection, server };
    return this.opened;
  }

  /** Rolls back or closes the connection; returns the error with what is known of its effect. */
  private async cleanUp(connection: Connection, error: QueryError): Promise<StoreError> {
    const { errno = 0 } = error;
    const isTransient = CONFLICTS.includes(errno);
    const isRefusal = [GUARD_FAILED, VALUE_MISSING, OTHER_STAMP].includes(errno);
    if (!isTransient && !isRefusal) {
      this.drop(connection);
      const refusal = mysqlRefusal(error);
      if (refusal) return new StoreError(refusal, 'no', { cause: error, refusal });
      return new StoreError('The database did not answer.', 'unknown', { cause: error });
    }
    const timeLimit = new TimeLimit(ROLLBACK_TIMEOUT_MS, noAnswer);
    try {
      await timeLimit.race(send(connection, ['ROLLBACK']));
    } catch {
      this.drop(connection);
    } finally {
      timeLimit.stop();
    }
    return new StoreError('Another writer conflicted with this one.', 'no', {
      cause: error,
      retryable: isTransient,
      isRowLocked: errno === LOCK_WAIT_TIMEOUT,
    });
  }

  private drop(connection: Connection): void {
    if (this.opened?.connection === connection) this.opened = null;
    connection.destroy();
  }
}

/** Whether a packet failed with one of these error numbers. */
export function failedWith(error: unknown, ...numbers: number[]): boolean {
  if (!(error instanceof StoreError)) return false;
  const { errno } = (error.cause ?? {}) as { errno?: number };
  return errno !== undefined && numbers.includes(errno);
}

function refuseTooLarge(statements: string[], bytesMax: number): void {
  const chars = statements.reduce((sum, { length }) => sum + length + 1, 0);
  if (chars * CHAR_BYTES + PACKET_HEAD_BYTES <= bytesMax) return;
  const bytes = Buffer.byteLength(statements.join(';')) + PACKET_HEAD_BYTES;
  if (bytes <= bytesMax) return;
  const text = `A packet of ${bytes} bytes is more than max_allowed_packet.`;
  const cause = Object.assign(new Error(text), { errno: PACKET_TOO_LARGE });
  throw new StoreError('This is more than the database accepts at once.', 'no', { cause });
}

/** A server that stops midway ends its answer as if complete: only the result count shows it. */
function send(connection: Connection, statements: string[]): Promise<Rows[]> {
  return new Promise((resolve, reject) => {
    connection.query(statements.join(';'), (error: QueryError | null, answer: unknown) => {
      const results = statements.length === 1 ? [answer] : answer;
      if (error) reject(error);
      else if (Array.isArray(results) && results.length === statements.length) resolve(results);
      else reject(new Error('The database did not answer every statement.'));
    });
  });
}

const storeClosed = () => new StoreError('This store is closed.', 'no');

const noAnswer = () =>
  Object.assign(new Error('No answer in time.'), { code: 'TIMEOUT', fatal: true });
