import type { StoredRecord } from '../../record-store';

/** Rows of one statement, as arrays. */
export type Rows = unknown[][];

/** Statements that are sent together, and how the server's answers are interpreted. */
export interface Packet<T> {
  statements: string[];
  /** @param answers one for each statement */
  read(answers: Rows[]): T;
}

/** A record, or as much of it as was returned. */
export type FoundRecord = Pick<StoredRecord, 'rev' | 'writer'> & Partial<StoredRecord>;

/** The outcome of the changes of a committed packet. */
export interface PacketOutcome {
  /** The writers of the applied changes. */
  applied: ReadonlySet<string>;
  /** The server's clock in the swap or after it, epoch milliseconds. Null: it was not read. */
  now: number | null;
  /**
   * The records that the swap found in place of those that the other changes expect, by id; an
   * absent id has no record. Null: the packet did not read them.
   */
  found: ReadonlyMap<string, FoundRecord> | null;
  /** The id of the history row that it wrote. Absent: none was written, or the id is not known. */
  historyId?: number;
}
