/** One way to lock, as the bench drives it. */
export interface BenchLock {
  name: string;
  /** Tries once. Null: another owner holds it. */
  tryAcquire(lock: string, owner: string): Promise<string | null>;
  /** Releases a hold that `tryAcquire` or `acquire` returned. */
  release(lock: string, owner: string, grant: string): Promise<void>;
  /** Resolves when no work is left for answered calls, which would slow the next contestant. */
  recorded?: (() => Promise<void>) | undefined;
  close(): Promise<void>;
}

/** A lock that callers can wait for. */
export interface WaitingBenchLock extends BenchLock {
  acquire(lock: string, owner: string): Promise<string>;
}

/** A lock whose queue can be read. */
export interface QueueingBenchLock extends WaitingBenchLock {
  queueLength(lock: string): Promise<number>;
}
