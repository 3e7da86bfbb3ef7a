import type { RaceNote } from '@/server/strategies/race-note';
import type { EntryServers } from './entry-servers';
import type { Confirmation, Stock, Think } from './stock';

/** The parts with which an entry sells. */
export interface EntryParts {
  servers: EntryServers;
  stock: Stock;
  /** The prefix of the names of everything that the entry creates, except databases. */
  prefix: string;
  leaseMs: number;
  /** How long one attempt to get the lock may last. */
  waitMs: number;
  /** How long a buyer waits between two attempts, if its lock has no queue. */
  pollEveryMs: number;
  note: RaceNote;
}

/** The stock refused a write, because a later holder of the lock has written since. */
export class RefusedWrite extends Error {
  override readonly name = 'RefusedWrite';

  constructor() {
    super('its late write was refused by the fencing token');
  }
}

/** An entry of the catalogue, ready to sell. */
export interface Contender {
  /**
   * Sells one unit. Called by many buyers concurrently.
   *
   * @throws NotGranted if it did not get its lock in time, RefusedWrite if its write was too late;
   *   the buyer tries again
   */
  confirm(think: Think): Promise<Confirmation>;
  /** How many units are left; for entries that do not use the stock row. */
  left?(): Promise<number>;
  /** Ends its background work. Connections of `servers` are closed afterwards. */
  close?(): Promise<void>;
}

/** How an entry of the catalogue takes part in a race. */
export interface RaceEntry {
  /** Creates its tables and keys, once for each race. */
  prepare?(parts: EntryParts): Promise<unknown>;
  /** Opens it over connections of its own; a second time in the thread of the paused buyer. */
  open(parts: EntryParts): Contender | Promise<Contender>;
  /**
   * Its lock is granted outside the paused thread, as a server would, so the paused buyer only
   * waits.
   */
  isServed?: true;
}
