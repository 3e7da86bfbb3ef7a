import type { TablePart } from '@/db/snapshot';
import { tableShapes } from '@/db/table-shapes';
import { OWN_NAMESPACE } from '../engine/membership';

/** A restore ends all sessions and clears the counts of failed sign-ins. */
const LEFT_OUT = ['sessions', 'sign_in_failures'];

/**
 * The secret's fingerprint belongs to the secret, which is not restored. A used setup link must not
 * become valid again.
 */
export const IS_KEPT_IN_PLACE = "id = 'secret-fingerprint'";

/** Heartbeats and Lockyard's own locks mean nothing after a restore. */
const KEPT_ROWS: Record<string, string> = {
  locks: `id not like '${OWN_NAMESPACE}/%'`,
  settings: `not (${IS_KEPT_IN_PLACE}) and id not like 'setup-link:%'`,
};

/** Everything that a backup holds, table by table. */
export function backupParts(): TablePart[] {
  return tableShapes()
    .filter(({ name }) => !LEFT_OUT.includes(name))
    .map((shape) => {
      const where = KEPT_ROWS[shape.name];
      return where === undefined ? shape : { ...shape, where };
    });
}
