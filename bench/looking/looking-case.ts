import type { ServerUnderLoad } from './server-under-load';

/** A load that people put on a server while 64 callers use its locks. */
export interface LookingCase {
  /** This name also selects the case on the command line. */
  name: string;
  /** Prepares what the load needs: once for each server, before anything is measured. */
  prepare?(server: ServerUnderLoad): Promise<void>;
  /**
   * Starts the load in this process and returns the function that ends it. That function can return
   * a line about what the load observed.
   */
  load(server: ServerUnderLoad): Promise<() => Promise<string | undefined>>;
}
