import type { SilenceRow } from '../../contract/console/alerts/alert-row';
import { AlertSettings } from '../../monitoring/alerts/alert-settings';
import { askDatabase } from '../ask-database';
import type { ControlContext } from '../operation-context';
import { requireRole } from '../require-role';

/** The silences that have not ended, the next to end first. */
export async function listSilences(ctx: ControlContext): Promise<SilenceRow[]> {
  await requireRole(ctx, 'viewer');
  const { database, clock } = ctx.runtime;
  return askDatabase(() => new AlertSettings(database).silences(clock.now()));
}
