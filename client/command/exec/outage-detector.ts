import { LockyardError } from '../../errors';
import type { ClientClock } from '../../platform/client-clock';
import { PROCEDURES } from '../../wire/procedures';
import { readReply } from '../../wire/read-reply';
import { GIVEN_UP, reasonOfSilence } from '../../wire/send-request';

/** What the last request of an outage met. */
export interface OutageCause {
  /** Empty, or the reason why there is no connection, such as ` (ECONNREFUSED)`. */
  why: string;
  /** What the server answered, if that is `BACKEND_DOWN`: one or more sentences. */
  refusal: string | null;
}

/** Callbacks about a server that stops responding. */
export interface OutageListener {
  /** Called once per outage. */
  began(cause: OutageCause): void;
  /** The server responds again. */
  ended(): void;
  /** No response for `limitMs` since the first unanswered request. May be called again. */
  lasted(cause: OutageCause): void;
}

/** Reports when an outage begins and ends. */
export function outageNotice(say: (line: string) => void): Pick<OutageListener, 'began' | 'ended'> {
  return {
    began: ({ why, refusal }) =>
      say(refusal === null ? `server not responding${why}, retrying…` : `${refusal} Retrying…`),
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
      if (reply.status < 500) this.noteResponse();
      else this.noteSilence(sentAt, { why: '', refusal: await refusalIn(reply.clone()) });
      return reply;
    } catch (error) {
      if (request[1]?.signal?.reason !== GIVEN_UP) {
        this.noteSilence(sentAt, { why: whyOf(error), refusal: null });
      }
      throw error;
    }
  };

  get isPresent(): boolean {
    return this.silentSince !== null;
  }

  private noteResponse(): void {
    if (this.silentSince !== null) this.listener.ended();
    this.silentSince = null;
  }

  private noteSilence(sentAt: number, cause: OutageCause): void {
    if (this.silentSince === null) {
      this.silentSince = sentAt;
      this.listener.began(cause);
    }
    if (this.clock.monotonic() - this.silentSince >= this.limitMs) this.listener.lasted(cause);
  }
}

/** The message of an answer `BACKEND_DOWN`, which says why, such as for a Redis that is full. */
async function refusalIn(reply: Response): Promise<string | null> {
  const error = await readReply(PROCEDURES.acquire, reply).catch((thrown: unknown) => thrown);
  return error instanceof LockyardError && error.reason === 'BACKEND_DOWN' ? error.message : null;
}

function whyOf(error: unknown): string {
  const reason = reasonOfSilence(error);
  return reason && ` (${reason})`;
}
