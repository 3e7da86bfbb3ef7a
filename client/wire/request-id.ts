import { LockyardError } from '../errors';
import type { ClientClock } from '../platform/client-clock';

/**
 * The server remembers answers for 15 minutes; asked later, the same id would count as a new
 * request.
 */
const RESEND_WITHIN_MS = 10 * 60_000;

/** One request id and the time in which it may be sent again. */
export class RequestId {
  private answeredAt: number;

  constructor(
    private readonly id: string,
    private readonly clock: ClientClock,
  ) {
    this.answeredAt = clock.monotonic();
  }

  /** The id, for one more sending. Throws `UNKNOWN` when the last answer is too long ago. */
  forSending(): string {
    if (this.clock.monotonic() - this.answeredAt > RESEND_WITHIN_MS) {
      const message = 'No answer for 10 minutes; a retry is no longer safe.';
      throw new LockyardError('UNKNOWN', message, { isFinal: true });
    }
    return this.id;
  }

  /** The server has answered it just now. */
  answered(): void {
    this.answeredAt = this.clock.monotonic();
  }
}
