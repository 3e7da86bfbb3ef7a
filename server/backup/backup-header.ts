import { z } from 'zod';
import { type TablePart, tableShapes } from '@/db/snapshot';
import { OWN_NAMESPACE } from '../engine/membership';

/** The version of the format; raised if older programs cannot read the new one. */
export const BACKUP_FORMAT = 1;

/**
 * A backup is gzipped text: a line with this header, then one JSON list for each row, table by
 * table in the header's order, then the end line.
 */
export const backupHeader = z.object({
  lockyardBackup: z.int().min(1),
  /** The version of the program that made the backup. */
  program: z.string(),
  /** How many migrations the database had. */
  schema: z.int().min(1),
  /** Epoch milliseconds. */
  madeAt: z.int(),
  /** Its own entry in the audit log, pending in the backup. Absent in those of earlier versions. */
  intent: z.string().optional(),
  /** The epoch of each backend, by its id. */
  epochs: z.record(z.string(), z.int()),
  tables: z.array(
    z.object({ name: z.string(), columns: z.array(z.string()), rows: z.int().min(0) }),
  ),
});
export type BackupHeader = z.output<typeof backupHeader>;

/** The last line: the SHA-256, in hex, of all lines before it, each with its line feed. */
export const backupEnd = z.strictObject({ sha256: z.string() });

export const backupCells = z.array(z.union([z.string(), z.number(), z.null()]));

/**
 * A restore ends all sessions, clears the counts of failed sign-ins, and drops reports of
 * witnesses.
 */
const EXCLUDED = ['sessions', 'sign_in_failures', 'process_evidence'];

/** The secret itself is not restored. A used setup link must not become valid again. */
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
