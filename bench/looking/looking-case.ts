import type { ServerUnderLoad } from './server-under-load';

/** Something that people do to a server while 64 callers use its locks. */
export interface LookingCase {
  /** Also what selects it on the command line. */
  name: string;
  /** Makes what the load needs, once for each server and before anything is measured. */
  prepare?(server: ServerUnderLoad): Promise<void>;
  /**
   * Starts the load in this process and returns what ends it; that may return a line about what the
   * load saw.
   */
  load(server: ServerUnderLoad): Promise<() => Promise<string | undefined>>;
}
