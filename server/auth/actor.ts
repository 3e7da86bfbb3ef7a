import type { Role } from '../contract/console/console-terms';
import type { KeyLimits } from '../contract/key-limits';

/** A program that called with an API key. */
export interface ServiceActor {
  kind: 'service';
  keyId: string;
  /** The key's name. Its holds are recorded under it. */
  service: string;
  namespaces: string[];
  /** The key's limits within its namespaces; absent: it has none. */
  limits?: KeyLimits;
  /** The key was created for a witness: it may report on processes, and do nothing else. */
  isWitness?: true;
}

/** A person signed in to the console. */
export interface UserActor {
  kind: 'user';
  userId: string;
  name: string;
  role: Role;
  /** Identifies the session: the stored hash, not the cookie's value. */
  sessionId: string;
  /** True: the control database is down, but verified this within 15 min. Enough to read only. */
  stale: boolean;
}

/** The command line: any user who can read the data folder. May do everything. */
export interface CliActor {
  kind: 'cli';
}

/** The server itself. */
export interface SystemActor {
  kind: 'system';
}

export type Actor = ServiceActor | UserActor | CliActor | SystemActor;
