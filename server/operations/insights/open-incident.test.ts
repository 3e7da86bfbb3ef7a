import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TEST_DIALECTS } from '@/db/testing/test-database';
import { acquire } from '../../engine/testing/engine-rig';
import { IncidentTable } from '../../monitoring/incidents/incident-table';
import { rowId } from '../../monitoring/projection/projection-row';
import { freshKey } from '../../storage/conformance/testing/changes';
import { recordId } from '../../storage/record-id';
import type { RecordKey } from '../../storage/record-store';
import { ActsRig } from '../testing/acts-rig';
import { getIncident, listIncidents } from './incident-views';

const SOON = { timeout: 20_000, interval: 20 };

/** More than an incident's page shows of the time before it began. */
const EARLIER_MS = 60_000;

describe.each(TEST_DIALECTS)('an incident over %s', (dialect) => {
  let rig: ActsRig;
  beforeAll(async () => {
    rig = await ActsRig.open(dialect);
  });
  afterAll(() => rig.close());

  test('is shown up to now if it has just ended, later with some time after its end', async () => {
    const { database } = rig.runtime;
    const key = freshKey();
    const beganAt = Date.now() - 600_000;
    const ended = (endedAt: number) => {
      const figures = { waiters: 0, waiterMs: 0, waitersMax: 1, blockingMaxMs: 0, actors: [] };
      const ends = { clearedAt: endedAt, endedAt, readAt: endedAt };
      const facts = { stuck: null, hold: null };
      const incident = { status: 'contended', beganAt, ...ends, ...figures, facts } as const;
      const subject = { id: rowId('default', recordId(key)), backend: 'default', ...key };
      return { open: { ...subject, incident }, isNew: true };
    };
    const [justNow, before] = [Date.now() - 30_000, beganAt + 60_000];
    await new IncidentTable(database).write([ended(justNow), ended(before)]);
    const { rows } = await listIncidents(rig.operator(), { limit: 10 });
    const detailOf = (end: number) =>
      getIncident(rig.operator(), { id: rows.find(({ endedAt }) => endedAt === end)?.id ?? 0 });
    const { timeline, asOf } = await detailOf(justNow);
    expect(timeline.to).toBe(asOf);
    expect((await detailOf(before)).timeline.to).toBe(before + 15_000);
  });

  test('shows, while open, who held it, who waited, and what the holder waits for', async () => {
    const { engines, projection, database } = rig.runtime;
    const engine = engines.get('default');
    if (!engine) throw new Error('There is no backend.');
    const [ledger, journal] = [freshKey(), freshKey()];
    const take = (key: RecordKey, owner: string, waitMs: number) =>
      acquire({ engine }, key, owner, { leaseMs: 600_000, waitMs });
    const rowOf = (key: RecordKey) => projection.table.byId(rowId('default', recordId(key)));
    const takenAt = Date.now();
    await take(ledger, 'ada', 0);
    await take(journal, 'bob', 0);
    for (const waiting of [take(ledger, 'eve', 600_000), take(journal, 'ada', 600_000)]) {
      // It waits until the server is closed.
      waiting.catch(() => {});
    }
    for (const key of [ledger, journal]) await expect.poll(() => rowOf(key)?.waiters, SOON).toBe(1);

    const beganAt = takenAt + EARLIER_MS;
    await new IncidentTable(database).write(
      [ledger, journal].map((key) => {
        const hold = rowOf(key)?.record.holds[0] ?? null;
        const figures = { waiters: 1, waiterMs: 0, waitersMax: 1, blockingMaxMs: 0, actors: [] };
        const ends = { clearedAt: null, endedAt: null, readAt: beganAt + 1_000 };
        const facts = { stuck: null, hold };
        const incident = { status: 'contended', beganAt, ...ends, ...figures, facts } as const;
        const subject = { id: rowId('default', recordId(key)), backend: 'default', ...key };
        return { open: { ...subject, incident }, isNew: true };
      }),
    );
    const { rows } = await listIncidents(rig.operator(), { limit: 10 });
    const id = rows.find(({ name }) => name === ledger.name)?.id ?? 0;
    const { timeline, related } = await getIncident(rig.operator(), { id });
    expect(timeline.from).toBeGreaterThan(takenAt + EARLIER_MS / 2);
    expect(timeline.holds.map(({ owner, to }) => ({ owner, to }))).toEqual([
      { owner: 'ada', to: null },
    ]);
    expect(timeline.waits.map(({ owner, to }) => ({ owner, to }))).toEqual([
      { owner: 'eve', to: null },
    ]);
    expect(timeline.waits[0]?.from).toBeLessThan(timeline.from);
    expect(related).toMatchObject([{ relation: 'cause', incident: { name: journal.name } }]);
  });
});
