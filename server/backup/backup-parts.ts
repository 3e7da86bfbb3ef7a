import type { TablePart } from '@/db/snapshot';
import { tableShapes } from '@/db/table-shapes';
import { OWN_NAMESPACE } from '../engine/pulse';

/** Sessions end with a restore, and so does what was counted against those who could not sign in. */
const LEFT_OUT = ['sessions', 'sign_in_failures'];

/** The secret's fingerprint stays with the secret; a setup link that was used must not come back. */
export const IS_KEPT_IN_PLACE = "id = 'secret-fingerprint'";

/** Signs of life and Lockyard's own locks mean nothing on another day. */
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
