import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '@/db/database';
import { openTestDatabase, TEST_DIALECTS } from '@/db/testing/test-database';
import type { ProvenDeath } from '../../contract/console/past/incident';
import { DEFAULT_POLICY } from '../../contract/namespace-policy';
import type { LockRecord } from '../../core/lock/lock-record';
import { MINUTE_MS } from '../../core/time-units';
import { recordId } from '../../storage/record-id';
import { eventRows, insertionsOf } from '../history/recorder/event-rows';
import { TimeSlice } from '../lock-list/order/time-slice';
import { ProjectionRow, toLockRowAt } from '../projection/projection-row';
import { writeRefusals } from '../refusals/refusal-rows';
import { TableRig } from '../testing/table-rig';
import { readPastBaselines } from './past-baselines';

const MINUTE = 29_000_000 * MINUTE_MS;
const GRANTED_AT = MINUTE - 5 * MINUTE_MS;
const STUCK_AFTER_MS = 60_000;

describe.each(TEST_DIALECTS)('the baselines of past locks, over %s', (dialect) => {
  let database: Database;
  let locks = 0;
  beforeAll(async () => {
    database = await openTestDatabase(dialect);
  });
  afterAll(() => database.close());

  const freshKey = () => {
    locks += 1;
    return { namespace: 'default', name: `past-${locks}` };
  };

  /** A lock that has been held for minutes, as it is at an instant. */
  const rowAt = (key: ReturnType<typeof freshKey>, at: number) => {
    const rig = new TableRig();
    rig.now = at;
    rig.store(key.name, { heldMs: at - GRANTED_AT });
    return [...rig.truth.values()][0] as ProjectionRow;
  };

  const shown = async (row: ProjectionRow, deaths: ProvenDeath[] = []) => {
    const policy = { ...DEFAULT_POLICY, stuckAfterMs: STUCK_AFTER_MS };
    const baselines = await readPastBaselines({
      ...{ database, rows: [row], holdBaselines: { of: () => null } },
      deaths: new Map(deaths.length > 0 ? [[row.id, deaths]] : []),
      namespaces: { policyOf: () => policy },
      slice: new TimeSlice(() => 0),
    });
    return toLockRowAt(row, baselines.of(row.id, row.key), row.readAt, true);
  };

  const refuse = async (key: ReturnType<typeof freshKey>, minute: number, span: object) => {
    const all = { attempts: 10, token: 2, firstAt: minute, lastAt: minute, ...span };
    const counts = { all, owners: [{ service: 'orders', owner: 'w2', ...all }], others: null };
    const of = { backend: 'default', lockId: recordId(key), process: 'p' };
    await writeRefusals(database, [{ ...of, minute, counts }]);
  };

  it('a lock was stuck from the first refused caller until 60 s after the last', async () => {
    const key = freshKey();
    const [firstAt, lastAt] = [MINUTE + 10_000, MINUTE + 20_000];
    await refuse(key, MINUTE, { firstAt, lastAt });
    const statusAt = async (at: number) => (await shown(rowAt(key, at))).status;
    expect(await statusAt(firstAt - 1)).toBe('held');
    expect(await statusAt(firstAt)).toBe('stuck');
    expect(await statusAt(lastAt + 60_000)).toBe('stuck');
    expect(await statusAt(lastAt + 60_001)).toBe('held');
    const { stuck, refused, blocked } = await shown(rowAt(key, MINUTE + 15_000));
    expect(stuck).toMatchObject({ kind: 'refusals', since: firstAt });
    expect(refused).toMatchObject({ attempts: 5, owners: 1, lastAt: MINUTE + 15_000 });
    expect(blocked).toEqual({ callers: 1, sinceSum: firstAt });
  });

  it('refusals count since the first one of the hold, minutes before', async () => {
    const key = freshKey();
    const firstAt = MINUTE - 4 * MINUTE_MS;
    for (let minute = firstAt; minute <= MINUTE; minute += MINUTE_MS) await refuse(key, minute, {});
    const { blocked, refused } = await shown(rowAt(key, MINUTE + 5_000));
    expect(blocked).toEqual({ callers: 1, sinceSum: firstAt });
    expect(refused?.attempts).toBe(50);
  });

  it("a lock was orphaned from the proof of its holder's death, unless renewed later", async () => {
    const row = rowAt(freshKey(), MINUTE);
    const { token = 0 } = row.hold ?? {};
    const death = { token, at: MINUTE - 1_000, since: MINUTE - 3_000 };
    const proof = { ...death, witness: 'host-4', evidence: 'no such process' };
    const { status, orphaned } = await shown(row, [proof]);
    expect({ status, orphaned }).toMatchObject({
      status: 'orphaned',
      orphaned: { token, since: MINUTE - 3_000, witness: 'host-4', evidence: 'no such process' },
    });
    const holds = row.record.holds.map((hold) => ({ ...hold, renewals: 1, renewedAt: MINUTE }));
    const renewed = withRecord(row, { holds });
    expect((await shown(renewed, [{ ...proof, at: MINUTE - 30_000 }])).status).toBe('held');
  });

  describe('a holder that kept renewing after a waiter had timed out', () => {
    const record = async (key: ReturnType<typeof freshKey>, kinds: string[]) => {
      const events = kinds.map((kind, i) => {
        const event = { kind, at: MINUTE - 2_000 - kinds.length + 1 + i, rev: 3 + i };
        return { ...event, service: 'orders', owner: 'w2', waitedMs: 1_000 };
      });
      const commit = { id: locks, changes: [{ key, events }] };
      const rows = eventRows('default', [commit] as unknown as Parameters<typeof eventRows>[1]);
      await database.raw.batch(insertionsOf(database.kind, rows), false);
    };

    const renewed = (key: ReturnType<typeof freshKey>, at: number) => {
      const row = rowAt(key, at);
      const holds = row.record.holds.map((hold) => ({ ...hold, renewals: 9, renewedAt: at }));
      return withRecord(row, { holds });
    };

    it('was stuck', async () => {
      const key = freshKey();
      await record(key, ['timeout']);
      expect((await shown(renewed(key, MINUTE - 2_001))).status).toBe('held');
      expect((await shown(renewed(key, MINUTE))).stuck).toMatchObject({
        kind: 'idleRenewals',
        wish: 'gaveUp',
      });
    });

    it('is searched for in the newest 2,000 rows of its lock', async () => {
      const [near, far] = [freshKey(), freshKey()];
      // A freeze shares its row with no other event.
      await record(near, ['timeout', ...new Array<string>(1_999).fill('frozen')]);
      expect((await shown(renewed(near, MINUTE))).status).toBe('stuck');
      locks += 1;
      await record(far, ['timeout', ...new Array<string>(2_000).fill('frozen')]);
      expect((await shown(renewed(far, MINUTE))).status).toBe('held');
    });
  });
});

function withRecord(row: ProjectionRow, parts: Partial<LockRecord>): ProjectionRow {
  const { key, readAt, record, backend: id, publicBackend: publicId } = row;
  return ProjectionRow.of({ id, publicId }, key, readAt, { ...record, ...parts });
}
