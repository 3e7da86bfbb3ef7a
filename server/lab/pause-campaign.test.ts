import { afterAll, beforeAll, expect, test } from 'vitest';
import { catalogue } from '@/server/strategies/catalogue';
import { LabRig, openLabServers, type RaceResult } from './testing/lab-rig';

const isLong = process.env.TEST_LONG === '1';

let lab: Awaited<ReturnType<typeof openLabServers>>;
let rig: LabRig;
let result: RaceResult;

/** Locks that end by time, whatever their holders do. */
const TIMED = [6, 7, 8, 11, 12, 13, 14, 15, 16, 18];
const LEASED = catalogue.filter(({ number }) => TIMED.includes(Number(number))).map(({ id }) => id);
const SESSIONS = catalogue.filter(({ number }) => Number(number) <= 5 && number !== '');
const sessions = SESSIONS.map(({ id }) => id);
/** `npm run test:long` races all of them, with all workers of the default load. */
const leased = isLong ? LEASED : ['set-nx-px-lock', 'watchdog-lock'];
const held = isLong ? sessions : ['with-row-lock'];
// Under a lock of the whole table, a slow machine sells no more than this in the longest time.
const LOAD = { perEntryMs: 120_000, ...(isLong ? { stock: 200 } : { workers: 8, stock: 60 }) };
const LEASE_MS = isLong ? 3_000 : 1_000;

beforeAll(async () => {
  lab = await openLabServers();
  rig = await LabRig.open({ servers: lab.servers, leaseMs: LEASE_MS });
  const strategies = [...held, ...leased, 'service-lock', 'service-counter'];
  result = await rig.race({ strategies, pause: true, ...LOAD });
}, 1_800_000);
afterAll(async () => {
  await rig.close();
  await LabRig.removePrograms();
  await lab.close();
});

test.each(leased)('a worker paused for longer than its lease oversells under %s', (id) => {
  expect(result.row(id)).toMatchObject({ verdict: 'oversells' });
  expect(result.row(id).oversold).toBeGreaterThan(0);
});

test.each(held)('a paused worker makes all others wait under %s, and nothing is oversold', (id) => {
  const row = result.row(id);
  const { verdict, oversold, sold, stock } = row;
  expect({ verdict, oversold, sold }, String(row.reason)).toEqual({
    verdict: 'holds',
    oversold: 0,
    sold: stock,
  });
  // The first of the others gets its turn when the pause is over.
  expect(row.p99Ms).toBeGreaterThan(LEASE_MS);
});

test('the fencing token of the service refuses the late write, and nothing is oversold', () => {
  const row = result.row('service-lock');
  expect(row.verdict, String(row.reason)).toBe('holds');
  expect(row).toMatchObject({ verdict: 'holds', oversold: 0, sold: row.stock });
  expect(row.reason).toMatch(/its late write was refused by the fencing token/);
  expect(row.conflicts).toBeGreaterThanOrEqual(1);
});

test('the counter of the service stays correct whatever its callers do', () => {
  expect(result.row('service-counter')).toMatchObject({ verdict: 'holds', oversold: 0 });
});
