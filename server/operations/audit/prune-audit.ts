import { AUDIT_OUTCOMES } from '../../contract/console/audit-entry';
import { deleteRows } from '../../monitoring/history/delete-rows';
import { removalInstant } from '../../monitoring/history/removal-instant';
import type { ShouldContinue } from '../../platform/periodic';
import type { ControlRuntime } from '../operation-context';

/**
 * Removes audit entries that are past their retention, in small batches, but none whose outcome is
 * not known yet.
 */
export async function pruneAudit(
  { config, database, clock }: Pick<ControlRuntime, 'config' | 'database' | 'clock'>,
  shouldContinue?: ShouldContinue,
): Promise<void> {
  const { auditMs } = config.retention;
  if (auditMs === null) return;
  const before = (await removalInstant(database, clock.now())) - auditMs;
  // One outcome at a time, since the index by age begins with the outcome.
  for (const outcome of AUDIT_OUTCOMES) {
    if (outcome === 'pending') continue;
    await deleteRows(
      database,
      'audit',
      'outcome = ? AND at < ?',
      [outcome, before],
      shouldContinue,
    );
  }
}
