import { isReleased, type LockRecord } from '@/server/core/lock/lock-record';
import { isFingerprintOf } from '@/server/core/request-fingerprint';

/** Checks that an undone acquire neither waits nor holds, then or later. */
export class CancelReferee {
  private readonly undone = new Set<string>();

  /** @param requestKey of an acquire whose cancel was answered that it is undone */
  add(requestKey: string): void {
    this.undone.add(requestKey);
  }

  /** The violations in a record, in words. */
  violations({ holds, queue }: LockRecord): string[] {
    return [...this.undone].flatMap((key) => [
      ...queue
        .filter(({ tag }) => isFingerprintOf(tag, key))
        .map(({ ticket }) => `ticket ${ticket} waits, and was answered that it is cancelled`),
      ...holds
        .filter((hold) => !isReleased(hold) && hold.requests.includes(key))
        .map(({ token }) => `${token} is held, and its acquire was answered that it is undone`),
    ]);
  }
}
