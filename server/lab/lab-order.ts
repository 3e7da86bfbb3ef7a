import { LAB_PAUSE_MS, type LabSettings } from '../contract/console/lab/lab-race';

/** The URLs of the Lab's own servers. They contain passwords. */
export interface LabServers {
  /** A URL without a database. */
  mysql?: string;
  /** One, or three for the quorum. The first serves every other strategy. */
  redis?: string[];
  zookeeper?: string;
}

/** The input of a race's process: one line of JSON on its standard input. */
export interface LabOrder extends LabSettings {
  /** Part of every name that the race creates on a server: 1 to 24 letters and digits. */
  runId: string;
  servers: LabServers;
  /** Where embedded SQLite keeps its scratch files. */
  folder: string;
  /** How long a lock is leased. A paused worker stops for twice as long. */
  leaseMs: number;
}

/** Long enough for any hold on a busy machine: an expired lease says nothing about a lock. */
export const LAB_LEASE_MS = 30_000;
/** The lease in a race with a paused worker: others wait for its end, and the pause is longer. */
export const PAUSED_LEASE_MS = LAB_PAUSE_MS / 2;
