import type { ServerResponse } from 'node:http';
import type { CallerConnection } from '../../../operations/operation-context';

/** The connection to the caller of one request. Costs nothing until its signal is read. */
export class HttpCallerConnection implements CallerConnection {
  private hangUp: AbortController | null = null;

  /** @param turn of the request: ended once the request only waits */
  constructor(
    private readonly res: ServerResponse,
    private readonly turn: { end(): void },
  ) {}

  onWaiting(): void {
    this.turn.end();
  }

  get isClosed(): boolean {
    const { res } = this;
    return res.closed && !res.writableEnded;
  }

  get signal(): AbortSignal {
    this.hangUp ??= this.listen();
    return this.hangUp.signal;
  }

  private listen(): AbortController {
    const hangUp = new AbortController();
    if (this.isClosed) hangUp.abort();
    else
      this.res.once('close', () => {
        if (this.isClosed) hangUp.abort();
      });
    return hangUp;
  }
}
