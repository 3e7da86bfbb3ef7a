import { type TablePart, tableShapes } from '@/db/snapshot';
import { OWN_NAMESPACE } from '../engine/membership';

/** A restore ends all sessions and clears the counts of failed sign-ins. */
const EXCLUDED = ['sessions', 'sign_in_failures'];

/**
 * The secret's fingerprint belongs to the secret, which is not restored. A used setup link must not
 * become valid again.
 */
export const SECRET_FINGERPRINT_ROW = "id = 'secret-fingerprint'";

/** Heartbeats and Lockyard's own locks mean nothing after a restore. */
const ROW_FILTERS: Record<string, string> = {
  locks: `id not like '${OWN_NAMESPACE}/%'`,
  settings: `not (${SECRET_FINGERPRINT_ROW}) and id not like 'setup-link:%'`,
};

/** Everything that a backup holds, table by table. */
export function backupTables(): TablePart[] {
  return tableShapes()
    .filter(({ name }) => !EXCLUDED.includes(name))
    .map((shape) => {
      const where = ROW_FILTERS[shape.name];
      return where === undefined ? shape : { ...shape, where };
    });
}
