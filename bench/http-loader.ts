import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The acquires to send to a server, for random locks. */
export interface LoadOrder {
  port: number;
  path: string;
  key: string;
  leaseMs: number;
  connections: number;
  forMs: number;
  /** Requests that each connection sends ahead of their answers; 1 unless given. */
  depth?: number;
}

export interface LoadFigures {
  /** Answers. */
  perSecond: number;
  /** From the request to its answer. */
  p99Ms: number;
}

export type LoadReport = LoadFigures | { error: string };

/** A process that sends requests as fast as they are answered. */
export interface HttpLoader {
  /** Rejects if a server gave any answer but 200. */
  drive(order: LoadOrder): Promise<LoadFigures>;
  stop(): void;
}

export function startHttpLoader(): HttpLoader {
  const child = fork(fileURLToPath(new URL('http-load.mjs', import.meta.url)));
  return {
    drive(order) {
      return new Promise((resolve, reject) => {
        child.once('message', (report: LoadReport) => {
          if ('perSecond' in report) resolve(report);
          else reject(new Error(report.error));
        });
        child.send(order);
      });
    },
    stop: () => child.kill(),
  };
}
