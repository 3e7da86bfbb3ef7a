import type { Kit } from './kits/mysql';

/** The table of races in the Lab. Starting one deletes the oldest: see `LAB_RUNS_MAX`. */
export function labRunsTable({ table, index, uniqueIndex, ...kit }: Kit) {
  return table(
    'lab_runs',
    {
      id: kit.code(24).primaryKey(),
      /** `running` while it runs, else null; unique, so that only one runs at a time. */
      slot: kit.code(8),
      startedAt: kit.whole().notNull(),
      startedBy: kit.document().notNull(),
      /** When its process last wrote here: a run that writes no more ended with its server. */
      seenAt: kit.whole().notNull(),
      /** Who asked it to stop. */
      stoppedBy: kit.document(),
      endedAt: kit.whole(),
      endedBy: kit.code(16),
      message: kit.document(),
      /** JSON: `LabSettings`. */
      settings: kit.document().notNull(),
      /** JSON: `LabResult`. */
      result: kit.document().notNull(),
      /** JSON: entries, finished rows, their courses and the running strategy, as in `LabRun`. */
      progress: kit.document().notNull(),
    },
    (t) => [uniqueIndex('lab_runs_slot').on(t.slot), index('lab_runs_started').on(t.startedAt)],
  );
}
