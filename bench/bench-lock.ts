/** One way to lock, as the bench drives it. */
export interface BenchLock {
  name: string;
  /** Tries once. Null: another owner holds it. */
  tryAcquire(lock: string, owner: string): Promise<string | null>;
  /** Releases what either of them answered. */
  release(lock: string, owner: string, grant: string): Promise<void>;
  /** Resolves when nothing is left to be done for what was answered: others need not pay for it. */
  recorded?: (() => Promise<void>) | undefined;
  close(): Promise<void>;
}

/** One that callers can wait for. */
export interface WaitingBenchLock extends BenchLock {
  acquire(lock: string, owner: string): Promise<string>;
}

/** One whose queue can be looked at. */
export interface QueueingBenchLock extends WaitingBenchLock {
  queueLength(lock: string): Promise<number>;
}
