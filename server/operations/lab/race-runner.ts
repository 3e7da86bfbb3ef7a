import type { LabPreflight, LabProgress, LabSettings } from '../../contract/console/lab/lab-race';

/** Runs races, one at a time, each in its own process. */
export interface RaceRunner {
  /** Checks every configured server, which can take seconds. */
  preflight(): Promise<LabPreflight>;
  /**
   * Starts a race. The last message is `finished`, whatever happens.
   *
   * @throws LockyardError `INVALID` for a load that cannot be raced, `CONFLICT` while another race
   *   runs here
   */
  start(run: { runId: string } & LabSettings, onProgress: (message: LabProgress) => void): void;
  /** Asks the race to end now, with its results so far. Does nothing if none runs. */
  stop(): void;
  /** Stops the race, and resolves once its process has ended. */
  close(): Promise<void>;
}
