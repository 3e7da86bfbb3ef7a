import type { RecordKey } from '../record-store';
import type { Started } from './start-process';
import type { Store } from './stores-under-test';

/**
 * What can befall a store.
 *
 * - `stopped`: it says nothing more, and goes on later as if nothing had been.
 * - `killed and restarted`: it ends without a word, and comes back with what it had kept.
 * - `cut between request and reply`: it did what was asked, and nobody hears of it.
 * - `full`: it can read, and has no room for more.
 * - `answering garbage`: what comes from it is noise.
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

/** Makes a key that nobody has used. */
export type NewKey = (kind?: RecordKey['kind']) => RecordKey;

/** A store on a server, or in a file, of a test's own, that can have bad days. */
export interface ServerUnderTest {
  /** Starts a process that finds its URL: over the line that a bad day spoils. The store may be away. */
  join(): Promise<Started>;
  /** The same records past that line, to see what became of the calls. */
  truth(): Promise<Store>;
  /** Of a backend of which only a part has the bad day, and only what lives there is in `truth`: fresh keys of either part. */
  parts?: { sick: NewKey; well: NewKey };
  /** Begins a bad day. The answer ends it, and resolves once the server takes connections again. */
  begin(day: BadDay): Promise<() => Promise<void>>;
  /** Ends it and removes everything. */
  stop(): Promise<void>;
}

export interface ServerKind {
  /** Bad days that cannot come to such a store, each with the reason. It has to live through all others. */
  cannotHave: Partial<Record<BadDay, string>>;
  /** Whether several processes may use it at once. */
  isShared: boolean;
  /** Whether it is one of several shards, of which only one has the bad days. */
  isPartOfMore?: true;
  start(): Promise<ServerUnderTest>;
}
