import { CLOCKS_APART_MAX_MS } from '../../platform/clock';
import { askDatabase } from '../ask-database';
import { newestEntries } from '../audit/list-audit';
import type { ControlContext } from '../operation-context';

/**
 * When the last backup was made; null: none that the audit log still knows, or the caller hung up
 * meanwhile.
 */
export async function lastBackupAt(ctx: ControlContext): Promise<number | null> {
  // A clock that was set back has left later instants.
  const to = ctx.runtime.clock.now() + CLOCKS_APART_MAX_MS + 1;
  // In steps: one query would read every entry if no backup was ever made.
  const backups = { act: 'backup.make', outcome: 'done', to } as const;
  const [last] = await askDatabase(() => newestEntries(ctx, backups, 1));
  return last?.at ?? null;
}
