import type { Role } from '../contract/console/console-terms';

/** A program that called with an API key. */
export interface ServiceActor {
  kind: 'service';
  keyId: string;
  /** The key's name: what its holds are filed under. */
  service: string;
  namespaces: string[];
}

/** A person signed in to the console. */
export interface UserActor {
  kind: 'user';
  userId: string;
  name: string;
  role: Role;
  /** Which of the user's sessions this is: the hash that is stored, not the cookie. */
  sessionId: string;
  /** The control database did not answer: this was true within the last 15 minutes. Enough to read, not to act. */
  stale: boolean;
}

/** Whoever may read the data folder, at the command line. May do everything. */
export interface CliActor {
  kind: 'cli';
}

/** The server itself. */
export interface SystemActor {
  kind: 'system';
}

export type Actor = ServiceActor | UserActor | CliActor | SystemActor;
