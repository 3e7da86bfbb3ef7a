import type { Hold } from '@/client/lockyard';

/** Compares the grants that all callers in one process received. */
export class GrantReferee {
  /** One line for each grant that should not have happened. */
  readonly broken: string[] = [];
  private readonly latest = new Map<string, Hold>();

  /** To be called as soon as work under an exclusive lock begins. */
  granted(hold: Hold): void {
    const before = this.latest.get(hold.name);
    this.latest.set(hold.name, hold);
    if (!before) return;
    if (before.token >= hold.token) {
      this.broken.push(`${hold.name}: token ${hold.token} after ${before.token}`);
    }
    if (before.remainingMs() > 0) {
      this.broken.push(`${hold.name}: ${hold.token} granted while ${before.token} was live`);
    }
  }
}
