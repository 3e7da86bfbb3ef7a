import type { Shard, ShardList } from '../../../db/urls/shard-list';
import { DEAD_AFTER_MS, STORE_CALL_MAX_MS } from '../../core/timing';
import { failedWith, MysqlConnection, NO_SUCH_TABLE } from '../mysql/mysql-connection';
import type { Rows } from '../mysql/packets/packet';
import { CLOCK, quote } from '../mysql/packets/sql-text';
import { fencedSwap, STAMP_ROW } from './epoch-fence';

/** What a shard knows of itself and the others, besides its stamp. */
export interface ShardIdentity {
  /** The name under which it was stamped. */
  self: string;
  /** The backend's epoch when it was stamped. */
  generation: number;
  /** By name: every shard that may hold records. During a move, those of both lists. */
  members: string[];
  /** The members that had lost data when the move began. */
  lost: string[];
  /**
   * From when never used names are granted, as in the control database, which may be replaced by an
   * older backup. Absent: immediately, or an earlier version stamped it.
   */
  grantsFrom?: number;
}

/** What was found on a shard. `stamp` null: the database was never a shard. */
export interface FoundStamp {
  stamp: string | null;
  identity: ShardIdentity | null;
  /** Whether it stores no records. */
  isEmpty: boolean;
  /** Whether a server uses it, by the heartbeat stored there. */
  isInUse: boolean;
}

const IDENTITY_ROW = 'shard.place';

/** The list is in force: every process that has it is served. */
export const servingStamp = ({ fingerprint }: Pick<ShardList, 'fingerprint'>, generation: number) =>
  `${fingerprint}.${generation}`;

/**
 * Records are being moved: no process is served.
 *
 * @param generation 0: the shard is new, and nothing is moved before it has the stamp of the move
 * @param reshard distinguishes two reshards with the same generation
 */
export const movingStamp = (generation: number, reshard = '') => `moving.${generation}.${reshard}`;

export const isMoving = (stamp: string) => stamp.startsWith('moving.');

/** New, empty, and about to serve this list: no process is served yet. */
export const startingStamp = ({ fingerprint }: Pick<ShardList, 'fingerprint'>) =>
  `begun.${fingerprint}`;

/** The stamp of one shard, read and written over its own connection. Rejects with `StoreError`. */
export class ShardMapStamp {
  private readonly connection: MysqlConnection;

  constructor(
    readonly shard: Shard,
    timeoutMs = STORE_CALL_MAX_MS,
  ) {
    this.connection = new MysqlConnection(shard.url, timeoutMs);
  }

  /**
   * Reads it. If the server is read-only, the next call uses another connection: the address may
   * lead to another server by then, and a stamp on the old one may be out of date.
   */
  async read(): Promise<FoundStamp> {
    const [rows = [], records = [], live = [], server] = await this.connection.packet([
      `SELECT id, value FROM settings WHERE id IN ('${STAMP_ROW}', '${IDENTITY_ROW}')`,
      "SELECT 1 FROM locks WHERE id NOT LIKE '.lockyard%' LIMIT 1",
      // Later ones are from before the clock was set back.
      `SELECT 1 FROM locks WHERE id LIKE '.lockyard/process/%' AND CAST(head AS SIGNED) - ` +
        `${CLOCK} BETWEEN 1 AND ${DEAD_AFTER_MS} LIMIT 1`,
      'SELECT @@read_only',
    ]);
    if (!isWritable(server)) this.connection.leave();
    const values = new Map(rows.map(([id, value]) => [String(id), String(value)]));
    const identity = values.get(IDENTITY_ROW);
    return {
      stamp: values.get(STAMP_ROW) ?? null,
      identity: identity === undefined ? null : (JSON.parse(identity) as ShardIdentity),
      isEmpty: records.length === 0,
      isInUse: live.length > 0,
    };
  }

  /** The same of a database that may never have been a shard: one without tables stores nothing. */
  async readIfUsed(): Promise<FoundStamp> {
    try {
      return await this.read();
    } catch (error) {
      if (!failedWith(error, NO_SUCH_TABLE)) throw error;
      return { stamp: null, identity: null, isEmpty: true, isInUse: false };
    }
  }

  /** Stamps the shard, unless it is stamped already. */
  async stampNew(stamp: string, identity: ShardIdentity): Promise<void> {
    await this.connection.packet([
      `INSERT IGNORE INTO settings (id, value, changed_at) VALUES ${valuesOf(stamp, identity)}`,
    ]);
  }

  /** Replaces the stamp `from` by `to`; does nothing if the shard carries another one. */
  async restamp(from: string, to: string): Promise<void> {
    await this.connection.packet([
      `UPDATE settings SET value = ${quote(to)}, changed_at = ${CLOCK} WHERE id = ` +
        `'${STAMP_ROW}' AND value = ${quote(from)}`,
    ]);
  }

  /**
   * Replaces the stamp `from`. Afterwards no swap of that stamp is under way.
   *
   * @throws StoreError `no` if the shard carries another one
   */
  replace(from: string, to: string, identity: ShardIdentity): Promise<void> {
    const update = 'ON DUPLICATE KEY UPDATE value = VALUES(value), changed_at = VALUES(changed_at)';
    return this.change(from, [
      `INSERT INTO settings (id, value, changed_at) VALUES ${valuesOf(to, identity)} ${update}`,
    ]);
  }

  /**
   * Runs a caller's statements as one transaction.
   *
   * @throws StoreError `no` if the shard carries another stamp
   */
  async change(stamp: string, statements: string[]): Promise<void> {
    const packet = ['START TRANSACTION', ...statements, 'COMMIT'];
    await this.connection.packet(fencedSwap(packet, stamp));
  }

  /** Runs a caller's queries on the shard. */
  ask(statements: string[]): Promise<Rows[]> {
    return this.connection.packet(statements);
  }

  close(): void {
    this.connection.close();
  }
}

/** From MariaDB 12 on, `read_only` is a word instead of a number. */
function isWritable(server: Rows | undefined): boolean {
  return ['0', 'OFF'].includes(String(server?.[0]?.[0]));
}

function valuesOf(stamp: string, identity: ShardIdentity): string {
  const rows = [
    [STAMP_ROW, stamp],
    [IDENTITY_ROW, JSON.stringify(identity)],
  ];
  return rows.map(([id = '', value = '']) => `('${id}', ${quote(value)}, ${CLOCK})`).join(',');
}
