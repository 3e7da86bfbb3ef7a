import { type LockTimeout, LockyardError } from '../errors';
import type { LockyardClient } from '../lockyard-client';
import { type ClientClock, pause } from '../platform/client-clock';
import { type RetryBounds, retryDelayMs, retrying, retryingGranted } from '../wire/retry';
import type { CallOptions } from '../wire/send-request';
import {
  ANSWER_WITHIN_MS,
  AT_ONCE_MS,
  CONNECT_WITHIN_MS,
  CONNECTED_BUDGET_MS,
  HELD_OPEN_MS,
  TIDY_UP_MS,
} from '../wire/time-limits';

/** What every answer to an acquire has, of one lock or of several. */
interface AnyAnswer {
  outcome: 'granted' | 'held' | 'timeout' | 'queued' | 'queueFull' | 'frozen' | 'ended';
}

/** What differs between the requests of one wait. */
export interface Ask {
  requestId: string;
  waitMs: number;
}

/** The attempt number for which `retryDelayMs` has its longest delay: that for a frozen lock. */
const FROZEN_ATTEMPT = 10;

/**
 * Waits for a grant over as many requests as it takes, all with one request id, so that the
 * position in the queue is kept. Subclasses define the request and the grant.
 */
export abstract class GrantWait<A extends AnyAnswer, G> {
  protected readonly clock;
  private readonly chance;
  private readonly startedAt: number;
  private id: RequestId;
  /** The server may know the current id: there may be a queue position or a grant to release. */
  private mayBeKnown = false;
  /** A connection was made in this wait. */
  private isConnected = false;

  constructor(
    protected readonly client: LockyardClient,
    private readonly waitMs: number,
    protected readonly signal: AbortSignal | undefined,
    private readonly traceparent: string | undefined,
  ) {
    this.clock = client.settings.clock;
    this.chance = client.settings.chance;
    this.startedAt = this.clock.monotonic();
    this.id = this.freshId();
  }

  /** Sends one acquire. */
  protected abstract send(ask: Ask, options: CallOptions): Promise<A>;
  /** Cancels the request. */
  protected abstract undo(requestId: string, options: CallOptions): Promise<unknown>;
  /** A grant that is certainly valid; null: it ended before any work began. */
  protected abstract prove(granted: A & { outcome: 'granted' }, sentAt: number): Promise<G | null>;
  protected abstract timeout(answer: A): LockTimeout;

  /**
   * Before it rejects, it releases its queue position, or a grant whose answer was lost; if no
   * server responds, it does so in the background.
   */
  async run(): Promise<G> {
    try {
      return await this.untilGranted();
    } catch (error) {
      const undone = this.mayBeKnown ? this.cancel() : undefined;
      if (!this.isSilenced(error)) await undone;
      throw error;
    }
  }

  /** If no server responds, a cancel will hardly be answered either, and is not worth a delay. */
  private isSilenced(error: unknown): boolean {
    const isShort = this.waitMs < CONNECTED_BUDGET_MS;
    return (
      isUnreachable(error) ||
      (isShort && error instanceof LockyardError && error.reason === 'UNKNOWN')
    );
  }

  /** Releases any grant of the current request id. If that fails, its lease expires. */
  async cancel(): Promise<void> {
    const { clock, chance } = this;
    const until = clock.monotonic() + TIDY_UP_MS;
    try {
      await retryingGranted({ clock, chance, until }, () =>
        this.undo(this.id.forSending(), { timeoutMs: until - clock.monotonic() }),
      );
    } catch {
      // The error that led here is more informative.
    }
  }

  protected bounds(until: RetryBounds['until']) {
    return { clock: this.clock, chance: this.chance, until, signal: this.signal };
  }

  private async untilGranted(): Promise<G> {
    for (;;) {
      const { answer, sentAt } = await this.ask();
      const grant = isGranted(answer) ? await this.prove(answer, sentAt) : null;
      if (grant) return grant;
      this.mayBeKnown = answer.outcome === 'queued';
      if (answer.outcome === 'held' || answer.outcome === 'timeout') throw this.timeout(answer);
      if (this.patienceLeftMs() <= 0) throw this.timeout(answer);
      await this.beforeAskingAgain(answer, sentAt);
    }
  }

  /** Sends the acquire with the current id until there is an answer. */
  private ask(): Promise<{ answer: A; sentAt: number }> {
    return retrying(this.bounds(this.until), async () => {
      this.signal?.throwIfAborted();
      const wasUnsure = this.mayBeKnown;
      const requestId = this.id.forSending();
      const waitMs = this.id.waitMs ?? Math.ceil(Math.min(this.waitMs, this.patienceLeftMs()));
      try {
        const sentAt = this.clock.monotonic();
        this.mayBeKnown = true;
        const answer = await this.send({ requestId, waitMs }, this.callOptions());
        this.isConnected = true;
        this.id.answered();
        if (answer.outcome === 'queued') this.id.waitMs = waitMs;
        return { answer, sentAt };
      } catch (error) {
        if (!isUnreachable(error)) this.isConnected = true;
        if (isKnownNotApplied(error)) this.mayBeKnown = wasUnsure;
        else this.id.waitMs = waitMs;
        throw error;
      }
    });
  }

  /**
   * When retries end: even a wait that is shorter than one attempt may take is retried for a while.
   */
  private readonly until = () =>
    this.startedAt +
    Math.max(this.waitMs, this.isConnected ? CONNECTED_BUDGET_MS : CONNECT_WITHIN_MS);

  private callOptions(): CallOptions {
    const now = this.clock.monotonic();
    // Negative for a short wait that continues because of failures, so that it ends in time.
    const leftMs = Math.min(this.startedAt + this.waitMs - now, HELD_OPEN_MS);
    const shareMs = CONNECT_WITHIN_MS / this.client.settings.addresses.count;
    const connectMs = Math.min(this.startedAt + CONNECT_WITHIN_MS - now, shareMs);
    const isWatched = !this.isConnected && this.waitMs < CONNECT_WITHIN_MS;
    return {
      timeoutMs: leftMs + ANSWER_WITHIN_MS,
      connectWithinMs: isWatched ? Math.max(0, connectMs) : undefined,
      signal: this.signal,
      traceparent: this.traceparent,
    };
  }

  private async beforeAskingAgain(answer: A, sentAt: number): Promise<void> {
    if (answer.outcome === 'queueFull') {
      const { retryAfterMs } = answer as { retryAfterMs?: number };
      const delayMs = retryDelayMs(this.chance, 0, retryAfterMs);
      await pause(this.clock, Math.min(delayMs, this.patienceLeftMs()), this.signal);
    } else if (answer.outcome === 'frozen') {
      const delayMs = retryDelayMs(this.chance, FROZEN_ATTEMPT);
      await pause(this.clock, Math.min(delayMs, this.patienceLeftMs()), this.signal);
    } else if (answer.outcome !== 'queued') {
      this.id = this.freshId();
    } else if (this.clock.monotonic() - sentAt < AT_ONCE_MS) {
      await pause(this.clock, retryDelayMs(this.chance, 1), this.signal);
    }
  }

  private patienceLeftMs(): number {
    return Math.max(0, this.startedAt + this.waitMs - this.clock.monotonic());
  }

  private freshId(): RequestId {
    return new RequestId(this.chance.id(), this.clock);
  }
}

function isGranted<A extends AnyAnswer>(answer: A): answer is A & { outcome: 'granted' } {
  return answer.outcome === 'granted';
}

function isUnreachable(error: unknown): boolean {
  return error instanceof LockyardError && error.isUnreachable;
}

const MAY_BE_APPLIED: ReadonlySet<string> = new Set(['UNKNOWN', 'INTERNAL']);

function isKnownNotApplied(error: unknown): boolean {
  return error instanceof LockyardError && !MAY_BE_APPLIED.has(error.reason);
}

/** The server remembers answers for 15 minutes; later, the same id would be a new request. */
export const RESEND_WITHIN_MS = 10 * 60_000;

/** One request id and the time in which it may be sent again. */
class RequestId {
  /**
   * The `waitMs` of a request that the server may know: each later one must be the same. Null: it
   * knows none, so that the next one asks for what is left of the wait.
   */
  waitMs: number | null = null;
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

  /** To be called when the server has just answered it. */
  answered(): void {
    this.answeredAt = this.clock.monotonic();
  }
}
