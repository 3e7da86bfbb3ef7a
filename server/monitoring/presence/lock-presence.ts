import { and, desc, eq, gt, lte, or, type SQL } from 'drizzle-orm';
import type { Database, Db } from '@/db/database';
import type { PresenceRow } from '../../contract/console/operator-answers';
import { holdOf } from '../../core/lock/lock-record';
import type { Clock } from '../../platform/clock';
import { recordId, recordKey } from '../../storage/record-id';
import type { RecordKey } from '../../storage/record-store';
import type { LockProjection } from '../projection/lock-projection';

/** So old at most is what a viewer gets; so often at most is the database asked. */
const KEPT_MS = 1_000;

/** The most people that are shown: the latest. */
const SHOWN_MAX = 500;

/** A presence ends by itself then, if not with the hold. */
const ON_IT_MS = 30 * 60_000;

type Stored = Omit<PresenceRow, 'namespace' | 'name'> & { lockId: string };

/** Who is on which lock, as the control database has it: the same for all processes. */
export class LockPresence {
  private reading: { at: number; rows: Promise<Stored[]> } | null = null;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly projection: Pick<LockProjection, 'row' | 'record'>,
  ) {}

  /** Of those who are on a lock still: it is over after a while, or when the hold has ended. */
  async list(): Promise<PresenceRow[]> {
    const rows = await this.read();
    const now = this.clock.now();
    return rows.flatMap(({ lockId, ...row }) => {
      const { namespace, name } = recordKey(lockId);
      const isOver = row.until <= now || this.hasEnded(namespace, name, row.token);
      return isOver ? [] : [{ namespace, name, ...row }];
    });
  }

  /**
   * Puts this person on a lock in place of another one, and removes all that is over. Returns until
   * when, and who was on it, if that was another person.
   */
  async put(
    tx: Db,
    key: RecordKey,
    { actor, token }: Pick<PresenceRow, 'actor' | 'token'>,
  ): Promise<{ until: number; before: string | null }> {
    const { lockPresence } = this.database.tables;
    const at = this.clock.now();
    const until = at + ON_IT_MS;
    const row = { lockId: recordId(key), token, actor, at, until };
    const isHere = eq(lockPresence.lockId, row.lockId);
    const [former] = await this.database.forUpdate(tx.select().from(lockPresence).where(isHere));
    await tx.delete(lockPresence).where(or(isHere, lte(lockPresence.until, at)) as SQL);
    await tx
      .insert(lockPresence)
      .values(row)
      .catch(async (error: unknown) => {
        // Another person was as quick, and this one came later.
        if (!this.database.isDuplicateKey(error)) throw error;
        await tx.update(lockPresence).set(row).where(isHere);
      });
    const isOther = former !== undefined && former.until > at && former.actor !== actor;
    return { until, before: isOther ? former.actor : null };
  }

  /** Whether this person was on the lock, and is no more. */
  async remove(tx: Db, key: RecordKey, actor: string): Promise<boolean> {
    const { lockPresence } = this.database.tables;
    const isIts = and(eq(lockPresence.lockId, recordId(key)), eq(lockPresence.actor, actor));
    const deleted = await tx.delete(lockPresence).where(isIts as SQL);
    return this.database.affectedRows(deleted) > 0;
  }

  /** The next viewer gets what the database has by then. */
  forget(): void {
    this.reading = null;
  }

  private read(): Promise<Stored[]> {
    const now = this.clock.monotonic();
    if (this.reading && now - this.reading.at < KEPT_MS) return this.reading.rows;
    const { db, tables } = this.database;
    const { lockPresence } = tables;
    const isOn = gt(lockPresence.until, this.clock.now());
    const rows = db
      .select()
      .from(lockPresence)
      .where(isOn)
      .orderBy(desc(lockPresence.at))
      .limit(SHOWN_MAX);
    const reading = { at: now, rows: Promise.resolve(rows) };
    this.reading = reading;
    reading.rows.catch(() => {
      if (this.reading === reading) this.reading = null;
    });
    return reading.rows;
  }

  /** Where the lock's state is not known, its hold may still be there. */
  private hasEnded(namespace: string, name: string, token: number | null): boolean {
    if (token === null) return false;
    const row = this.projection.row(namespace, name);
    if (!row || row.status === 'unknown') return false;
    if (!row.hold) return true;
    const record = this.projection.record(row.backend, { namespace, name });
    // A hold with a later token than all that were read here is not known yet.
    return record !== null && token <= record.lastToken && !holdOf(record, token);
  }
}
