/** How long the end of a step waits for others, so that one exchange sends many of them. */
const LINGER_MS = 5;

/** Decides when the next exchange with a gate begins. */
export class ExchangePace {
  private isDue = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly begin: () => void) {}

  /** Begins an exchange at the end of this turn of the event loop. */
  immediately(): void {
    if (this.isDue) return;
    this.isDue = true;
    setImmediate(() => {
      this.isDue = false;
      this.begin();
    });
  }

  /** Begins an exchange within `LINGER_MS`, since no caller waits for it. */
  soon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.begin();
    }, LINGER_MS).unref();
  }

  stop(): void {
    clearTimeout(this.timer);
  }
}
