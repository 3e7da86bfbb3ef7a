import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface SteadyOrder {
  port: number;
  apiKey: string;
  forMs: number;
}

export interface SteadyFigures {
  /** Renewed leases that were lost. */
  leasesLost: number;
  acquires: number;
  p99Ms: number;
  /** Answers that neither granted nor renewed, by outcome, reason or error. */
  refusals: Record<string, number>;
}

export type SteadyReport = SteadyFigures | { error: string };

/**
 * 64 callers in a separate process: each keeps one lock with a lease of 5 s, renewed every 1.6 s,
 * and acquires and releases another one every 250 ms.
 */
export interface SteadyCallers {
  /** Lets them call for `forMs`; the last calls may take longer. */
  run(order: SteadyOrder): Promise<SteadyFigures>;
  stop(): void;
}

export function startSteadyCallers(): SteadyCallers {
  const child = fork(fileURLToPath(new URL('steady-callers-load.mjs', import.meta.url)));
  return {
    run(order) {
      return new Promise((resolve, reject) => {
        child.once('message', (report: SteadyReport) => {
          if ('error' in report) reject(new Error(report.error));
          else resolve(report);
        });
        child.send(order);
      });
    },
    stop: () => child.kill(),
  };
}
