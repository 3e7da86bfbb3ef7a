import { pause } from './client-clock';
import { LockTimeout } from './lock-timeout';
import type { LockyardClient } from './lockyard-client';
import { LockyardError } from './lockyard-error';
import { RequestId } from './request-id';
import { retryDelayMs, retrying } from './retry';
import {
  ANSWER_WITHIN_MS,
  driftMs,
  HELD_OPEN_MS,
  RETRY_BUDGET_MS,
  TIDY_UP_MS,
} from './time-limits';
import type { AcquireAnswer, Granted, Mode } from './wire';

/** What to take, and for whom. */
export interface Wish {
  namespace: string;
  name: string;
  owner: string;
  leaseMs: number;
  /** The whole patience. */
  waitMs: number;
  mode: Mode;
  reentrant: boolean;
  meta: Record<string, string>;
}

/** A hold as it was granted, and until when it can be believed in without another answer. */
export interface Grant {
  token: number;
  waitedMs: number;
  /** Epoch milliseconds of the backend's clock. */
  expiresAt: number;
  /** Our clock before the request was sent whose answer this is: the lease cannot have begun earlier. */
  sentAt: number;
  expiresInMs: number;
}

/** Until when, on our clock, a lease told in an answer to a request sent at `sentAt` surely lasts. */
export function surelyUntil({
  sentAt,
  expiresInMs,
}: Pick<Grant, 'sentAt' | 'expiresInMs'>): number {
  return sentAt + expiresInMs - driftMs(expiresInMs);
}

/**
 * Waits for a grant over as many requests as it takes, all with one request id, so that the place in the queue stays.
 *
 * Rejects with `LockTimeout` when it was not granted in time, with `LockyardError` when that cannot be known, and with
 * the signal's reason when the caller gives up. In each case the place, or a grant not heard of, is given back first;
 * where even that fails, the cost is one lease.
 */
export function awaitGrant(
  client: LockyardClient,
  wish: Wish,
  signal: AbortSignal | undefined,
): Promise<Grant> {
  return new GrantWait(client, wish, signal).run();
}

/** How long to leave a frozen lock alone, in steps of `retryDelayMs`: the longest. */
const FROZEN_PAUSES = 10;

/** An answer faster than this, and yet `queued`, comes from a server that is shutting down. */
const AT_ONCE_MS = 200;

class GrantWait {
  private readonly clock;
  private readonly chance;
  private readonly startedAt: number;
  private id: RequestId;
  /** The server may know the present id: there may be a place or a grant to give back. */
  private unsure = false;

  constructor(
    private readonly client: LockyardClient,
    private readonly wish: Wish,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.clock = client.settings.clock;
    this.chance = client.settings.chance;
    this.startedAt = this.clock.monotonic();
    this.id = this.freshId();
  }

  async run(): Promise<Grant> {
    try {
      return await this.untilGranted();
    } catch (error) {
      if (this.unsure) await this.cancel();
      throw error;
    }
  }

  private async untilGranted(): Promise<Grant> {
    for (;;) {
      const { answer, sentAt } = await this.ask();
      const grant = answer.outcome === 'granted' ? await this.prove(answer, sentAt) : null;
      if (grant) return grant;
      this.unsure = answer.outcome === 'queued';
      if (answer.outcome === 'held' || answer.outcome === 'timeout') throw this.timeout(answer);
      if (this.patienceLeftMs() <= 0) throw this.timeout(answer);
      await this.beforeAskingAgain(answer, sentAt);
    }
  }

  /** Asks with the present id until there is an answer. */
  private ask(): Promise<{ answer: AcquireAnswer; sentAt: number }> {
    const { waitMs } = this.wish;
    const until = this.startedAt + (waitMs > 0 ? waitMs : RETRY_BUDGET_MS);
    return retrying(this.bounds(until), async () => {
      this.signal?.throwIfAborted();
      const wasUnsure = this.unsure;
      const requestId = this.id.forSending();
      const timeoutMs = Math.min(this.patienceLeftMs(), HELD_OPEN_MS) + ANSWER_WITHIN_MS;
      const sentAt = this.clock.monotonic();
      try {
        this.unsure = true;
        const ask = { ...this.wish, requestId };
        const answer = await this.client.acquire(ask, { timeoutMs, signal: this.signal });
        this.id.answered();
        return { answer, sentAt };
      } catch (error) {
        if (isSurelyNotDone(error)) this.unsure = wasUnsure;
        throw error;
      }
    });
  }

  /**
   * A wait may have used up what can be proven of a lease, which counts from before the request. Then a renewal proves
   * it; null: the hold ended before anybody worked under it.
   */
  private async prove(granted: Granted, sentAt: number): Promise<Grant | null> {
    const { token, waitedMs, expiresAt, expiresInMs } = granted;
    const grant: Grant = { token, waitedMs, expiresAt, expiresInMs, sentAt };
    const { namespace, name, owner, leaseMs } = this.wish;
    const now = this.clock.monotonic();
    if (surelyUntil(grant) - now >= leaseMs / 2) return grant;
    return retrying(this.bounds(now + RETRY_BUDGET_MS), async () => {
      const renewedAt = this.clock.monotonic();
      const renewal = { namespace, name, owner, token, leaseMs };
      const answer = await this.client.renew(renewal, { signal: this.signal });
      if (answer.outcome === 'lost') return null;
      const { expiresAt, expiresInMs } = answer;
      return { ...grant, expiresAt, expiresInMs, sentAt: renewedAt };
    });
  }

  private async beforeAskingAgain(answer: AcquireAnswer, sentAt: number): Promise<void> {
    if (answer.outcome === 'queueFull') {
      const delayMs = retryDelayMs(this.chance, 0, answer.retryAfterMs);
      await pause(this.clock, Math.min(delayMs, this.patienceLeftMs()), this.signal);
    } else if (answer.outcome === 'frozen') {
      const delayMs = retryDelayMs(this.chance, FROZEN_PAUSES);
      await pause(this.clock, Math.min(delayMs, this.patienceLeftMs()), this.signal);
    } else if (answer.outcome !== 'queued') {
      this.id = this.freshId();
    } else if (this.clock.monotonic() - sentAt < AT_ONCE_MS) {
      await pause(this.clock, retryDelayMs(this.chance, 1), this.signal);
    }
  }

  private async cancel(): Promise<void> {
    const { namespace, name, owner } = this.wish;
    const until = this.clock.monotonic() + TIDY_UP_MS;
    const { clock, chance } = this;
    try {
      await retrying({ clock, chance, until }, () => {
        const undo = { namespace, name, owner, requestId: this.id.forSending() };
        return this.client.cancel(undo, { timeoutMs: TIDY_UP_MS });
      });
    } catch {
      // The error that led here says more; what could not be given back lapses by itself.
    }
  }

  private timeout(answer: AcquireAnswer): LockTimeout {
    const { name, waitMs } = this.wish;
    return new LockTimeout(name, waitMs, {
      holders: 'holders' in answer ? answer.holders : [],
      queueLength: 'queueLength' in answer ? answer.queueLength : null,
      frozen: answer.outcome === 'frozen' ? answer.reason : null,
    });
  }

  private patienceLeftMs(): number {
    return Math.max(0, this.startedAt + this.wish.waitMs - this.clock.monotonic());
  }

  private bounds(until: number) {
    return { clock: this.clock, chance: this.chance, until, signal: this.signal };
  }

  private freshId(): RequestId {
    return new RequestId(this.chance.id(), this.clock);
  }
}

function isSurelyNotDone(error: unknown): boolean {
  return error instanceof LockyardError && error.reason !== 'UNKNOWN';
}
