/** What the bench uses of `redlock`, whose own types its package does not export. */
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
