/** One way to lock, as the bench drives it. */
export interface BenchLock {
  name: string;
  /** Tries once. Null: somebody else holds it. */
  tryAcquire(lock: string, owner: string): Promise<string | null>;
  /** Releases what `tryAcquire` answered. */
  release(lock: string, owner: string, grant: string): Promise<void>;
  close(): Promise<void>;
}
