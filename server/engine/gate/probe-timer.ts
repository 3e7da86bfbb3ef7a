const FIRST_MS = 250;
const LONGEST_MS = 2_000;

/** Probes a gate that does not respond, each time after a longer pause, up to a limit. */
export class ProbeTimer {
  private afterMs = FIRST_MS;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly probe: () => void) {}

  schedule(): void {
    this.timer = setTimeout(this.probe, this.afterMs).unref();
    this.afterMs = Math.min(2 * this.afterMs, LONGEST_MS);
  }

  /** To call after a success: the pause after the next failure is short again. */
  reset(): void {
    this.afterMs = FIRST_MS;
  }

  stop(): void {
    clearTimeout(this.timer);
  }
}
