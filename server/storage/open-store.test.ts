import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { DatabaseUrl } from '@/db/urls/backend-url';
import { systemClock } from '../platform/clock';
import { created, eventOf, freshKey } from './conformance/testing/changes';
import { createScratchDatabase } from './conformance/testing/stores-under-test';
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
