import type { Kit } from './kits/mysql';

/**
 * The table of what witnesses last reported about the processes that hold locks: one row for each
 * process and witness. A row is deleted when its process holds nothing any more.
 */
export function processEvidenceTable({ table, index, primaryKey, ...kit }: Kit) {
  return table(
    'process_evidence',
    {
      /** A digest of the process, or of the hold if that does not identify a process completely. */
      holder: kit.code(22).notNull(),
      kind: kit.code(8).notNull(),
      /** The name of its API key, or the id of its URL. */
      witness: kit.code(40).notNull(),
      state: kit.code(8).notNull(),
      /** Instants of this database's clock. */
      firstAt: kit.whole().notNull(),
      at: kit.whole().notNull(),
      since: kit.whole(),
      evidence: kit.document().notNull(),
    },
    (t) => [
      primaryKey({ name: 'process_evidence_pk', columns: [t.holder, t.kind, t.witness] }),
      index('process_evidence_at').on(t.at),
    ],
  );
}
