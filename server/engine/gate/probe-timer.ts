const FIRST_MS = 250;
const MOST_MS = 2_000;

/** When a gate that does not respond is tried again: each time later, up to a limit. */
export class ProbeTimer {
  private afterMs = FIRST_MS;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly probe: () => void) {}

  schedule(): void {
    this.timer = setTimeout(this.probe, this.afterMs).unref();
    this.afterMs = Math.min(2 * this.afterMs, MOST_MS);
  }

  /** After a success: the next failure is followed by a probe soon. */
  reset(): void {
    this.afterMs = FIRST_MS;
  }

  stop(): void {
    clearTimeout(this.timer);
  }
}
