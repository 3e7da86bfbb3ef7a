import type { ClientClock } from '../../platform/client-clock';
import { GIVEN_UP, reasonOfSilence } from '../../wire/send-request';

/**
 * Callbacks about a server that stops responding. `why` is empty, or the reason why there is no
 * connection, such as ` (ECONNREFUSED)`.
 */
export interface OutageListener {
  /** Called once per outage. */
  began(why: string): void;
  /** The server responds again. */
  ended(): void;
  /** No response for `limitMs` since the first unanswered request. May be called again. */
  lasted(why: string): void;
}

/** Reports when an outage begins and ends. */
export function outageNotice(say: (line: string) => void): Pick<OutageListener, 'began' | 'ended'> {
  return {
    began: (why) => say(`server not responding${why}, retrying…`),
    ended: () => say('server responding again'),
  };
}

/**
 * Notes for each request whether the server responds; a 5xx status, as while its database is
 * unavailable, does not count. Ignores requests that their caller abandons. Changes no request.
 */
export class OutageDetector {
  private silentSince: number | null = null;

  constructor(
    private readonly clock: ClientClock,
    private readonly limitMs: number,
    private readonly listener: OutageListener,
    private readonly inner: typeof fetch = globalThis.fetch,
  ) {}

  readonly fetch: typeof fetch = async (...request) => {
    const sentAt = this.clock.monotonic();
    try {
      const reply = await this.inner(...request);
      this.note(reply.status < 500, sentAt);
      return reply;
    } catch (error) {
      if (request[1]?.signal?.reason !== GIVEN_UP) this.note(false, sentAt, whyOf(error));
      throw error;
    }
  };

  get isPresent(): boolean {
    return this.silentSince !== null;
  }

  private note(isResponse: boolean, sentAt: number, why = ''): void {
    if (isResponse) {
      if (this.silentSince !== null) this.listener.ended();
      this.silentSince = null;
      return;
    }
    if (this.silentSince === null) {
      this.silentSince = sentAt;
      this.listener.began(why);
    }
    if (this.clock.monotonic() - this.silentSince >= this.limitMs) this.listener.lasted(why);
  }
}

function whyOf(error: unknown): string {
  const reason = reasonOfSilence(error);
  return reason && ` (${reason})`;
}
