import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '@/db/database';
import { openTestDatabase } from '@/db/testing/test-database';
import type { LockEvent } from '../../core/lock/lock-event';
import { TestClock } from '../../platform/testing/test-clock';
import type { HistoryRow, HistorySource } from '../../storage/record-store';
import { EventTally } from '../metrics/event-tally';
import { EventHistory } from './event-history';
import { EventRecorder } from './event-recorder';

const LOOK_MS = 40;

/** A store in which a caller commits again whenever the history is read, which takes a while. */
class BusyHistory implements HistorySource {
  private readonly rows: HistoryRow[] = [];

  constructor(private readonly clock: TestClock) {}

  async historyAfter(position: number, limit: number): Promise<HistoryRow[]> {
    this.commit();
    this.clock.pass(LOOK_MS);
    return this.rows.slice(position, position + limit);
  }

  async historyOf(): Promise<HistoryRow[]> {
    return [];
  }

  async historyEnd(): Promise<number> {
    return this.rows.length;
  }

  async pruneHistory(): Promise<number> {
    return 0;
  }

  private commit(): void {
    const id = this.rows.length + 1;
    const at = this.clock.now();
    const event: LockEvent = { kind: 'renewed', at, rev: id, service: 's', owner: 'o', token: 1 };
    const key = { namespace: 'default', name: 'busy' };
    this.rows.push({ id, at, changes: [{ key, rev: id, events: [event] }] });
  }
}

describe('an event recorder', () => {
  let database: Database;

  beforeEach(async () => {
    database = await openTestDatabase('sqlite');
  });

  afterEach(() => database.close());

  it('is not behind while commits keep coming, and leaves what comes meanwhile to the next run', async () => {
    const clock = new TestClock();
    const history = new BusyHistory(clock);
    const recorder = new EventRecorder(database, { id: 'b', history }, clock, new EventTally());
    const recorded = async () => {
      const page = { namespace: 'default', name: 'busy', limit: 10 };
      const { rows } = await new EventHistory(database).list(page);
      return rows.map(({ rev }) => rev);
    };
    for (const revs of [[1], [2, 1], [3, 2, 1]]) {
      await recorder.record();
      expect(await recorded()).toEqual(revs);
      expect(recorder.lagMs()).toBe(LOOK_MS);
    }
  });
});
