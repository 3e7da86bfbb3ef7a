import type { ClientClock } from '../../platform/client-clock';
import { GIVEN_UP } from '../../wire/send-request';

/**
 * Callbacks about a server that stops responding. `why` is empty, or why there is no connection, as
 * ` (ECONNREFUSED)`.
 */
export interface OutageListener {
  /** Once each time. */
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
 * Checks with every request whether the server answers; an answer that the database is away does
 * not count as one. A request that its caller abandons is ignored. Leaves the requests unchanged.
 */
export class OutageDetector {
  private silentSince: number | null = null;

  constructor(
    private readonly clock: ClientClock,
    private readonly limitMs: number,
    private readonly silence: OutageListener,
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

  private note(isAnswer: boolean, sentAt: number, why = ''): void {
    if (isAnswer) {
      if (this.silentSince !== null) this.silence.ended();
      this.silentSince = null;
      return;
    }
    if (this.silentSince === null) {
      this.silentSince = sentAt;
      this.silence.began(why);
    }
    if (this.clock.monotonic() - this.silentSince >= this.limitMs) this.silence.lasted(why);
  }
}

function whyOf(error: unknown): string {
  const code = ((error as Error).cause as NodeJS.ErrnoException | undefined)?.code;
  return code === undefined ? '' : ` (${code})`;
}
