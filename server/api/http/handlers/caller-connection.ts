import type { ServerResponse } from 'node:http';
import type { CallerLine } from '../../../operations/operation-context';

/** The connection to the caller of one request. Costs nothing until its signal is read. */
export class HttpCallerLine implements CallerLine {
  private hangUp: AbortController | null = null;

  /** @param turn of the request: it is over once the request only waits */
  constructor(
    private readonly res: ServerResponse,
    private readonly turn: { end(): void },
  ) {}

  beginsToWait(): void {
    this.turn.end();
  }

  get isDown(): boolean {
    const { res } = this;
    return res.closed && !res.writableEnded;
  }

  get signal(): AbortSignal {
    this.hangUp ??= this.listen();
    return this.hangUp.signal;
  }

  private listen(): AbortController {
    const hangUp = new AbortController();
    if (this.isDown) hangUp.abort();
    else
      this.res.once('close', () => {
        if (this.isDown) hangUp.abort();
      });
    return hangUp;
  }
}
