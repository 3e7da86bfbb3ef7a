import { like } from 'drizzle-orm';
import type { Database } from '@/db/database';
import type { Retention } from '../../core/retention';
import type { Clock } from '../../platform/clock';
import type { ShouldContinue } from '../../platform/periodic';
import { recordedCursor } from '../../storage/recorded-position';
import { pruneRecorded } from './prune-recorded';
import { removalInstant } from './removal-instant';

/**
 * Shards and backends that are no longer configured, each with the id under which its history is
 * recorded. That history is kept until its retention ends.
 *
 * @param configured the ids of the configured stores
 */
export async function formerStores(
  { db, tables: { cursors } }: Database,
  configured: readonly string[],
): Promise<{ id: string; backend: string }[]> {
  const prefix = recordedCursor('');
  const rows = await db
    .select()
    .from(cursors)
    .where(like(cursors.id, `${prefix}%`));
  return rows.flatMap((row) => {
    const id = row.id.slice(prefix.length);
    const [backend = id] = id.split('.');
    return configured.includes(id) ? [] : [{ id, backend }];
  });
}

/** The history of a store that is no longer configured: maintenance only removes from it. */
export class FormerStore {
  constructor(
    private readonly database: Database,
    readonly id: string,
    private readonly clock: Clock,
    private readonly retention: Retention,
  ) {}

  lagMs(): number | null {
    return null;
  }

  readonly unreadableCommits = 0;

  async record(): Promise<void> {}

  restart(): void {}

  async prune(shouldContinue?: ShouldContinue): Promise<void> {
    const { database, id, clock, retention } = this;
    const now = await removalInstant(database, clock.now());
    await pruneRecorded(database, id, now, retention, shouldContinue);
  }
}
