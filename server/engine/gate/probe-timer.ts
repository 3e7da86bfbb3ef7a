const FIRST_MS = 250;
const MOST_MS = 2_000;

/** Tries a gate again that does not respond: each time after a longer pause, up to a limit. */
export class ProbeTimer {
  private afterMs = FIRST_MS;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly probe: () => void) {}

  schedule(): void {
    this.timer = setTimeout(this.probe, this.afterMs).unref();
    this.afterMs = Math.min(2 * this.afterMs, MOST_MS);
  }

  /** Call it after a success: the pause after the next failure is short again. */
  reset(): void {
    this.afterMs = FIRST_MS;
  }

  stop(): void {
    clearTimeout(this.timer);
  }
}
