import { like } from 'drizzle-orm';
import type { Database } from '@/db/database';
import type { Retention } from '../../core/retention';
import type { Clock } from '../../platform/clock';
import { recordedCursor } from '../../storage/recorded-position';
import { pruneRecorded } from './prune-recorded';

/**
 * Shards of a backend that are named nowhere any more, by what their history is filed under: it
 * stays until it is old.
 *
 * @param named the ids of those that are
 */
export async function formerShards(
  { db, tables: { cursors } }: Database,
  backend: string,
  named: string[],
): Promise<string[]> {
  const prefix = recordedCursor(`${backend}.`);
  const rows = await db
    .select()
    .from(cursors)
    .where(like(cursors.id, `${prefix}%`));
  return rows.flatMap(({ id }) => {
    const shard = id.slice(recordedCursor('').length);
    // `LIKE` treats an underscore in the prefix as a wildcard, so check the prefix again.
    return id.startsWith(prefix) && !named.includes(shard) ? [shard] : [];
  });
}

/** Such a shard's recorded history, which only shrinks: the chores remove what is old. */
export class FormerShard {
  constructor(
    private readonly database: Database,
    readonly id: string,
    private readonly clock: Clock,
    private readonly retention: Retention,
  ) {}

  lagMs(): number | null {
    return null;
  }

  async record(): Promise<void> {}

  restart(): void {}

  prune(): Promise<void> {
    return pruneRecorded(this.database, this.id, this.clock.now(), this.retention);
  }
}
