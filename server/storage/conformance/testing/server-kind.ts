import type { RecordKey } from '../../record-store';
import type { Started } from './start-process';
import type { Store } from './stores-under-test';

/**
 * The faults of a store.
 *
 * - `stopped`: it stops answering, and later continues as if nothing had happened.
 * - `killed and restarted`: it dies without notice, and is restarted with its stored data.
 * - `cut between request and reply`: it executes requests, but the replies are lost.
 * - `full`: it can read, but has no room for more.
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

/** A store on a private server or in a private file that can have bad days. */
export interface ServerUnderTest {
  /**
   * Starts a process that uses the store's URL, through the faulty proxy. The store may be down.
   */
  join(): Promise<Started>;
  /** A store with the same records, not through the proxy, to read the effect of the calls. */
  truth(): Promise<Store>;
  /**
   * For a backend of which only a part has the bad day, with only that part in `truth`: fresh keys
   * of either part.
   */
  parts?: { sick: NewKey; well: NewKey };
  /**
   * Begins a bad day. The returned function ends it, and resolves once the server accepts calls.
   */
  begin(day: BadDay): Promise<() => Promise<void>>;
  /** Stops the server and removes everything. */
  stop(): Promise<void>;
}

export interface ServerKind {
  /** Bad days that such a store cannot have, each with the reason. All others are tested. */
  cannotHave: Partial<Record<BadDay, string>>;
  /** Whether several processes can use it at the same time. */
  isShared: boolean;
  /** Whether it is one of several shards, of which only one has the bad days. */
  isPartOfMore?: true;
  start(): Promise<ServerUnderTest>;
}
