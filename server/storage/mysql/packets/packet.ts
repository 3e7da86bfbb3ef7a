import type { StoredRecord } from '../../record-store';

/** Rows of one statement, as arrays. */
export type Rows = unknown[][];

/** Statements that are sent together, and what the server's answers to them mean. */
export interface Packet<T> {
  statements: string[];
  /** @param answers one for each statement */
  read(answers: Rows[]): T;
}

/** A record, or as much of it as was returned. */
export type FoundRecord = Pick<StoredRecord, 'rev' | 'writer'> & Partial<StoredRecord>;

/** What became of the changes of a packet that was committed. */
export interface PacketOutcome {
  /** The writers of the applied changes. */
  applied: ReadonlySet<string>;
  /** The server's clock in the swap or after it, epoch milliseconds. Null: it was not read. */
  now: number | null;
  /**
   * What the swap found in place of what the other changes expect, by the ids of the records; one
   * that is not there has no record. Null: the packet did not look.
   */
  found: ReadonlyMap<string, FoundRecord> | null;
  /** The id of the row of history that it wrote. Absent: none was written, or it is not known. */
  historyId?: number;
}
