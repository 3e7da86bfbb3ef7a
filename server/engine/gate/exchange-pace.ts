/** How long an end of a step waits for others: one exchange serves many of them. */
const COMPANY_MS = 5;

/** When the next exchange with a gate begins. */
export class ExchangePace {
  private isDue = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly begin: () => void) {}

  /** Begins at the end of this turn of the event loop, with all that comes in it. */
  atOnce(): void {
    if (this.isDue) return;
    this.isDue = true;
    setImmediate(() => {
      this.isDue = false;
      this.begin();
    });
  }

  /** Begins within `COMPANY_MS`: no caller waits for it. */
  soon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.begin();
    }, COMPANY_MS).unref();
  }

  stop(): void {
    clearTimeout(this.timer);
  }
}
