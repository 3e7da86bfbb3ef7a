/** The parts of `redlock` that the bench uses: the package does not export its types. */
declare module 'redlock' {
  import type { Redis } from 'ioredis';

  export class ExecutionError extends Error {}

  export interface Lock {
    release(): Promise<unknown>;
  }

  export default class Redlock {
    constructor(clients: Iterable<Redis>, settings?: { retryCount?: number });
    acquire(resources: string[], durationMs: number): Promise<Lock>;
  }
}
