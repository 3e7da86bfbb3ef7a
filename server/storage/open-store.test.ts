import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import type { Database } from '@/db/database';
import { openTestDatabase } from '@/db/testing/test-database';
import type { DatabaseUrl } from '@/db/urls/backend-url';
import { systemClock } from '../platform/clock';
import { created, eventOf, freshKey } from './conformance/testing/changes';
import { createScratchDatabase } from './conformance/testing/stores-under-test';
import { backendPast } from './incarnation/backend-past';
import { adoptOwnEpoch } from './incarnation/own-epoch';
import { openBackend } from './open-store';

/** An empty database, as after it was recreated. */
async function emptyDatabase(kind: string): Promise<{ url: DatabaseUrl; drop(): unknown }> {
  if (kind === 'mysql') {
    const { url, drop } = await createScratchDatabase(process.env.TEST_MYSQL_URL ?? '');
    return { url: { kind, url }, drop };
  }
  const folder = mkdtempSync(join(tmpdir(), 'ly-open-store-'));
  const url = { kind: 'sqlite', path: join(folder, 'lockyard.db') } as const;
  return { url, drop: () => rmSync(folder, { recursive: true, force: true }) };
}

it.each(['sqlite', 'mysql'])(
  'a %s backend keeps an epoch that the control database lost',
  async (kind) => {
    const { url, drop } = await emptyDatabase(kind);
    const control = await openTestDatabase('sqlite');
    const { backends } = control.tables;
    try {
      const open = async () => {
        const past = { ...(await backendPast(control, 'orders', 1)) };
        const adopt = (own: Database) => adoptOwnEpoch(control, own, 'orders', past, 1);
        await (await openBackend(url, systemClock, undefined, adopt)).close();
        const [row] = await control.db.select().from(backends);
        expect(row?.epoch).toBe(past.epoch);
        return past.epoch;
      };
      expect(await open()).toBe(1);
      await control.db.update(backends).set({ epoch: 3 }).where(eq(backends.id, 'orders'));
      expect(await open()).toBe(3);
      await control.db.delete(backends).where(eq(backends.id, 'orders'));
      expect(await open()).toBe(3);
      await control.db.update(backends).set({ epoch: 4 }).where(eq(backends.id, 'orders'));
      expect(await open()).toBe(4);
    } finally {
      await control.close();
      await drop();
    }
  },
);

it.each(['sqlite', 'mysql'])(
  'the history of a %s backend that was recreated goes on above what is recorded of it',
  async (kind) => {
    const { url, drop } = await emptyDatabase(kind);
    try {
      for (let opened = 0; opened < 2; opened += 1) {
        const store = await openBackend(url, systemClock, async () => 5_000);
        const key = freshKey();
        await created(store, key, { events: [eventOf(1)] });
        const rows = await store.historyAfter(5_000, 20);
        const names = rows.flatMap(({ changes }) => changes.map((change) => change.key.name));
        expect(names).toContain(key.name);
        expect(rows).toHaveLength(opened + 1);
        await store.close();
      }
    } finally {
      await drop();
    }
  },
);
