import type { RecordKey } from '../../record-store';
import type { Started } from './start-process';
import type { Store } from './stores-under-test';

/**
 * The faults of a store.
 *
 * - `stopped`: it stops answering, and later continues as if nothing had happened.
 * - `killed and restarted`: it dies without notice, and comes back with what it had stored.
 * - `cut between request and reply`: it did what was asked, and the reply is lost.
 * - `full`: it can read, and has no room for more.
 * - `answering garbage`: its replies are noise.
 * - `read-only`: it refuses every write.
 */
export const BAD_DAYS = [
  'stopped',
  'killed and restarted',
  'cut between request and reply',
  'full',
  'answering garbage',
  'read-only',
] as const;

export type BadDay = (typeof BAD_DAYS)[number];

/** Makes a key that is not in use. */
export type NewKey = (kind?: RecordKey['kind']) => RecordKey;

/** A store on a server, or in a file, of a test's own, that can have bad days. */
export interface ServerUnderTest {
  /**
   * Starts a process that uses the store's URL, through the faulty proxy. The store may be down.
   */
  join(): Promise<Started>;
  /** The same records past that line, to see what became of the calls. */
  truth(): Promise<Store>;
  /**
   * For a backend of which only a part has the bad day, with only that part in `truth`: fresh keys
   * of either part.
   */
  parts?: { sick: NewKey; well: NewKey };
  /** Begins a bad day. The answer ends it, and resolves once the server takes connections again. */
  begin(day: BadDay): Promise<() => Promise<void>>;
  /** Ends it and removes everything. */
  stop(): Promise<void>;
}

export interface ServerKind {
  /** Bad days that such a store cannot have, each with the reason. It is tested on all others. */
  cannotHave: Partial<Record<BadDay, string>>;
  /** Whether several processes may use it at once. */
  isShared: boolean;
  /** Whether it is one of several shards, of which only one has the bad days. */
  isPartOfMore?: true;
  start(): Promise<ServerUnderTest>;
}
