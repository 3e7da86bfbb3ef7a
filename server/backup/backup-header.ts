import { z } from 'zod';

/** Raised when older readers could not read the new format. */
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
  /** By backend. */
  epochs: z.record(z.string(), z.int()),
  tables: z.array(
    z.object({ name: z.string(), columns: z.array(z.string()), rows: z.int().min(0) }),
  ),
});
export type BackupHeader = z.output<typeof backupHeader>;

/** The last line: the SHA-256, in hex, of all lines before it, each with its line feed. */
export const backupEnd = z.strictObject({ sha256: z.string() });

export const backupCells = z.array(z.union([z.string(), z.number(), z.null()]));
