import { desc, eq, gt, lte } from 'drizzle-orm';
import { allOf, anyOf, type Database, type Db } from '@/db/database';
import type { PresenceRow } from '../../contract/console/operator-answers';
import { holdOf } from '../../core/lock/lock-record';
import { CLOCKS_APART_MAX_MS, type Clock } from '../../platform/clock';
import { recordId, recordKey } from '../../storage/record-id';
import type { RecordKey } from '../../storage/record-store';
import type { LockProjection } from '../projection/lock-projection';
import { SharedReadings } from '../shared-readings';

/** The greatest age of what viewers get, and the shortest time between two reads of it. */
const KEPT_MS = 1_000;

/** The key of the one reading that there is. */
const ALL = 'all';

/** How many people are shown at most: the latest. */
const SHOWN_MAX = 500;

/** A presence ends after this time, or earlier with the hold. */
const PRESENCE_MS = 30 * 60_000;

/**
 * A presence that ends more than this from now is from before the clock was set back, and counts as
 * ended: it would last until the clock has caught up.
 */
const UNTIL_MAX_MS = PRESENCE_MS + CLOCKS_APART_MAX_MS;

type Stored = Omit<PresenceRow, 'namespace' | 'name'> & { lockId: string };

/** Who works on which lock, from the control database: the same for all processes. */
export class LockPresence {
  private readonly readings: SharedReadings<Stored[]>;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly projection: Pick<LockProjection, 'row' | 'record'>,
  ) {
    this.readings = new SharedReadings(clock, KEPT_MS);
  }

  /** The people who still work on a lock: a presence ends after a while, or with its hold. */
  async list(): Promise<PresenceRow[]> {
    const rows = await this.readings.get(ALL, () => this.read());
    const now = this.clock.now();
    return rows.flatMap(({ lockId, ...row }) => {
      const { namespace, name } = recordKey(lockId);
      const hasEnded = hasExpired(row, now) || this.hasEnded(namespace, name, row.token);
      return hasEnded ? [] : [{ namespace, name, ...row }];
    });
  }

  /**
   * Puts this person on a lock in place of another one, and removes every presence whose time is
   * over. Returns until when, and who was still on it, if that was another person.
   */
  async put(
    tx: Db,
    key: RecordKey,
    { actor, token }: Pick<PresenceRow, 'actor' | 'token'>,
  ): Promise<{ until: number; before: string | null }> {
    const { lockPresence } = this.database.tables;
    const at = this.clock.now();
    const until = at + PRESENCE_MS;
    const row = { lockId: recordId(key), token, actor, at, until };
    const isOfLock = eq(lockPresence.lockId, row.lockId);
    const [former] = await this.database.forUpdate(tx.select().from(lockPresence).where(isOfLock));
    await tx.delete(lockPresence).where(anyOf(isOfLock, lte(lockPresence.until, at)));
    await tx
      .insert(lockPresence)
      .values(row)
      .catch(async (error: unknown) => {
        // Another person's row was inserted meanwhile; this one came later and replaces it.
        if (!this.database.isDuplicateKey(error)) throw error;
        await tx.update(lockPresence).set(row).where(isOfLock);
      });
    const isOther = former !== undefined && !hasExpired(former, at) && former.actor !== actor;
    const { namespace, name } = key;
    const wasOnIt = isOther && !this.hasEnded(namespace, name, former.token);
    return { until, before: wasOnIt ? former.actor : null };
  }

  /** Takes this person off the lock; false if they were not on it. */
  async remove(tx: Db, key: RecordKey, actor: string): Promise<boolean> {
    const { lockPresence } = this.database.tables;
    const isOwn = allOf(eq(lockPresence.lockId, recordId(key)), eq(lockPresence.actor, actor));
    const deleted = await tx.delete(lockPresence).where(isOwn);
    return this.database.affectedRows(deleted) > 0;
  }

  /** Drops the cached list, so that the next viewer gets the present one. */
  forget(): void {
    this.readings.forget(ALL);
  }

  private async read(): Promise<Stored[]> {
    const { db, tables } = this.database;
    const { lockPresence } = tables;
    const at = this.clock.now();
    const isCurrent = allOf(gt(lockPresence.until, at), lte(lockPresence.until, at + UNTIL_MAX_MS));
    return db
      .select()
      .from(lockPresence)
      .where(isCurrent)
      .orderBy(desc(lockPresence.at))
      .limit(SHOWN_MAX);
  }

  /** Whether the hold has ended; false where the lock's state is unknown. */
  private hasEnded(namespace: string, name: string, token: number | null): boolean {
    if (token === null) return false;
    const row = this.projection.row(namespace, name);
    if (!row || row.status === 'unknown') return false;
    if (!row.hold) return true;
    const record = this.projection.record(row.backend, { namespace, name });
    // A hold with a token above all those read here is not known yet.
    return record !== null && token <= record.lastToken && !holdOf(record, token);
  }
}

const hasExpired = ({ until }: Pick<PresenceRow, 'until'>, now: number) =>
  until <= now || until > now + UNTIL_MAX_MS;
