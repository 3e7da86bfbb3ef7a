import { CLOCKS_APART_MAX_MS } from '../../platform/clock';
import { listAudit } from '../audit/list-audit';
import type { ControlContext } from '../operation-context';

/**
 * When the last backup was made; null: none that the audit log still knows, or the caller hung up
 * meanwhile.
 */
export async function lastBackupAt(ctx: ControlContext): Promise<number | null> {
  // A clock that was set back has left later instants.
  const to = ctx.runtime.clock.now() + CLOCKS_APART_MAX_MS + 1;
  // In the steps of a listing: one query would read every entry if no backup was ever made.
  const { rows } = await listAudit(ctx, { act: 'backup.make', outcome: 'done', to, limit: 1 });
  return rows[0]?.at ?? null;
}
