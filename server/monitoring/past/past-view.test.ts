import { afterEach, describe, expect, it } from 'vitest';
import { newSeed, seeded } from '../../engine/testing/seeded';
import { freshKey } from '../../storage/conformance/testing/changes';
import { MonitoringRig } from '../testing/monitoring-rig';
import { ClientsWithLogs } from './testing/clients-with-logs';

const IS_LONG = process.env.TEST_LONG === '1';
const [CLIENTS, LOCKS, FOR_MS, INSTANTS] = IS_LONG ? [16, 6, 40_000, 200] : [12, 6, 1_800, 25];

const EVERY_LOCK = {
  attention: false,
  sort: 'name',
  descending: false,
  offset: 0,
  limit: 1_000,
} as const;

describe.each(IS_LONG ? (['sqlite', 'mysql'] as const) : (['sqlite'] as const))(
  'the past over %s',
  (store) => {
    let rig: MonitoringRig;
    afterEach(() => rig.close());

    it('is what clients noted themselves, at every instant that is clear of changes', async () => {
      const seed = newSeed();
      const random = seeded(seed);
      rig = await MonitoringRig.open(store);
      const [watcher, other] = [await rig.watch(), await rig.watch()];
      const locks = Array.from({ length: LOCKS }, freshKey);
      const clients = new ClientsWithLogs([watcher, other], locks, random);
      const startedAt = Date.now();
      await clients.runFor(CLIENTS, FOR_MS);
      const { pastView } = watcher.monitoring;
      const events = (await pastView.range.since()).events ?? 0;
      let compared = 0;
      const seen = { holders: 0, waiters: 0 };
      for (let tries = 0; compared < INSTANTS && tries < 100 * INSTANTS; tries += 1) {
        const at = startedAt + 200 + Math.floor(random() * (FOR_MS - 400));
        const noted = locks.map((_, i) => clients.at(i, at));
        if (at < events || noted.every((each) => each === null)) continue;
        const page = await pastView.locks(at, EVERY_LOCK);
        expect(page.past.isLagging).toBe(false);
        for (const [i, key] of locks.entries()) {
          const expected = noted[i];
          if (!expected) continue;
          const detail = await pastView.lock(at, key);
          const holders = detail.holds.map(({ owner }) => owner).sort();
          const waiters = detail.waiters.map(({ owner }) => owner).sort();
          const where = `seed ${seed}, lock ${i}, ${at - startedAt} ms`;
          expect({ holders, waiters }, where).toEqual(expected);
          seen.holders += holders.length;
          seen.waiters += waiters.length;
          const row = page.rows.find(({ name }) => name === key.name);
          expect(row?.holders ?? 0, where).toBe(holders.length);
          expect(row?.waiters ?? 0, where).toBe(waiters.length);
        }
        compared += 1;
      }
      expect(compared, `seed ${seed}`).toBe(INSTANTS);
      // So that it cannot pass by comparing locks that are not in use.
      expect(seen.holders, `seed ${seed}`).toBeGreaterThan(INSTANTS / 4);
      expect(seen.waiters, `seed ${seed}`).toBeGreaterThan(0);
    });
  },
);
