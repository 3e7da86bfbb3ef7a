import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '@/db/database';
import { queryPlans } from '@/db/testing/query-plans';
import { openTestDatabase, TEST_DIALECTS } from '@/db/testing/test-database';
import type { LockEvent } from '../../core/lock/lock-event';
import { recordId } from '../../storage/record-id';
import { eventRows, insertionsOf } from '../history/recorder/event-rows';
import { uncountedEvents } from './rollup-cursors';

const NEWEST = 1_000;

describe.each(TEST_DIALECTS)('the events of a lock that no roll-up has, in %s', (dialect) => {
  let database: Database;
  beforeAll(async () => {
    database = await openTestDatabase(dialect);
  });
  afterAll(() => database.close());

  const record = async (shard: string, name: string, instants: number[]) => {
    const key = { namespace: 'default', name };
    const rows = instants.flatMap((at) => {
      const party = { service: 'orders', owner: 'o', token: 1 };
      const events: LockEvent[] = [{ kind: 'granted', at, rev: at, waitedMs: 0, ...party }];
      const commit = { id: at, at, changes: [{ key, rev: at, events }] };
      return eventRows(shard, [commit]);
    });
    await database.raw.batch(insertionsOf(database.kind, rows), false);
    return recordId(key);
  };

  const found = async (shard: string, lockId: string, position: number) => {
    const events = await uncountedEvents(database.raw.ask, shard, lockId, position);
    return events.map(({ at }) => at).sort((a, b) => a - b);
  };

  it('are only its own ones, those of its shard after the commit', async () => {
    const lockId = await record('shard-1', 'counted', [1, 2, 3, 4]);
    await record('shard-2', 'counted', [5]);
    await record('shard-1', 'another', [6]);
    expect(await found('shard-1', lockId, 2)).toEqual([3, 4]);
    expect(await found('shard-2', lockId, 2)).toEqual([5]);
  });

  it('are searched for among its newest 1,000 events, whichever shard recorded them', async () => {
    const lockId = await record('shard-1', 'busy', [11, 12]);
    await record(
      'shard-2',
      'busy',
      Array.from({ length: NEWEST - 1 }, (_, i) => 20 + i),
    );
    expect(await found('shard-1', lockId, 0)).toEqual([12]);
    expect(await found('shard-2', lockId, 0)).toHaveLength(NEWEST - 1);
  });

  it.runIf(dialect === 'sqlite')('are read in the order of an index, unsorted', async () => {
    const { ask, plans } = queryPlans(database.raw.ask);
    await uncountedEvents(ask, 'shard-1', 'default/busy', 0);
    expect(plans).toHaveLength(1);
    expect(plans[0]).toContain('USING INDEX lock_events_lock_at (lock_id=?)');
    expect(plans[0]).not.toContain('TEMP B-TREE');
  });
});
