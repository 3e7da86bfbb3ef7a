/**
 * Lets one caller at a time open a connection to a server on which the last attempt failed; the
 * others share its result. A server that was stopped for a while would otherwise find hundreds of
 * connections that were given up, and block this host (`max_connect_errors`).
 */
export class OpeningAttempts {
  private hasFailed = false;
  /** The attempt after a failed one. */
  private next: Promise<unknown> | null = null;

  /** @param open may also return a connection that is open already */
  async run<T>(open: () => Promise<T>): Promise<T> {
    while (this.next) await this.next;
    const attempt = open();
    if (this.hasFailed) this.next = attempt;
    try {
      const opened = await attempt;
      this.hasFailed = false;
      return opened;
    } catch (error) {
      this.hasFailed = true;
      throw error;
    } finally {
      if (this.next === attempt) this.next = null;
    }
  }
}
