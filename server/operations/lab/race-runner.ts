import type { LabPreflight, LabProgress, LabSettings } from '../../contract/console/lab/lab-race';

/** What runs races, one at a time, each in a process of its own. */
export interface RaceRunner {
  /** Asks every configured server, which may take seconds. */
  preflight(): Promise<LabPreflight>;
  /**
   * Starts a race. The last message is `finished`, whatever happens.
   *
   * @throws LockyardError `INVALID` for a load that cannot be raced, `CONFLICT` while another race
   *   runs here
   */
  start(run: { runId: string } & LabSettings, onProgress: (message: LabProgress) => void): void;
  /** Asks the race to end with what it has done. Does nothing if none runs. */
  stop(): void;
  /** Stops the race, and resolves once its process has ended. */
  close(): Promise<void>;
}
