import { tracked } from '@trpc/server';
import type { UserActor } from '../../auth/actor';
import type { LockyardError } from '../../contract/errors';
import type { ConsoleContext } from './console/console-context';

/**
 * One user's live stream: it counts against the user's limit, and ends within 1 s after its session
 * ends or the user's role changes. Each value has an id, which the browser sends when it reopens an
 * interrupted stream.
 */
export async function* liveStream<T>(
  ctx: ConsoleContext & { user: UserActor },
  values: AsyncGenerator<{ id: string; data: T }, void>,
) {
  const release = ctx.streams.take(ctx.user.userId);
  const session = ctx.runtime.sessions.watch(ctx.user);
  try {
    for await (const value of untilAborted(values, session.signal)) {
      yield tracked(value.id, value.data);
    }
  } finally {
    session.close();
    release();
  }
}

/** For values that are each complete: no client resumes from their ids. */
export async function* withClockIds<T extends { asOf: number }>(values: AsyncGenerator<T, void>) {
  for await (const data of values) yield { id: String(data.asOf), data };
}

/**
 * Yields the values until the signal aborts, then throws its reason immediately, even during a
 * wait.
 *
 * @param values their `return` is called, but not awaited
 */
async function* untilAborted<T>(
  values: AsyncGenerator<T, void>,
  signal: AbortSignal,
): AsyncGenerator<T, void> {
  try {
    for (;;) {
      const next = await nextOf(values, signal);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    values.return().catch(() => undefined);
  }
}

function nextOf<T>(
  values: AsyncGenerator<T, void>,
  signal: AbortSignal,
): Promise<IteratorResult<T, void>> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) return onAbort();
    // One listener for each value: a promise that lives as long as the stream would keep all of
    // them.
    signal.addEventListener('abort', onAbort, { once: true });
    const done = () => signal.removeEventListener('abort', onAbort);
    values.next().finally(done).then(resolve, reject);
  });
}

/** The most live streams of one user in one process: several windows on several screens. */
export const STREAMS_MAX_PER_USER = 20;

const RETRY_AFTER_MS = 5_000;

/** Counts the live streams of each user. */
export class StreamSlots {
  private readonly taken = new Map<string, number>();

  /** @param refuse counts a refusal, and returns the error to throw */
  constructor(private readonly refuse: (message: string, retryAfterMs: number) => LockyardError) {}

  /** How many streams of all users are open. */
  get open(): number {
    let sum = 0;
    for (const open of this.taken.values()) sum += open;
    return sum;
  }

  /**
   * Takes a slot, and returns a function that frees it.
   *
   * @throws LockyardError `RATE_LIMITED` when all of this user's slots are taken
   */
  take(userId: string): () => void {
    const open = this.taken.get(userId) ?? 0;
    if (open >= STREAMS_MAX_PER_USER) {
      throw this.refuse(
        'Too many live pages are open for this account. Close some of them.',
        RETRY_AFTER_MS,
      );
    }
    this.taken.set(userId, open + 1);
    return () => {
      const left = (this.taken.get(userId) ?? 1) - 1;
      if (left > 0) this.taken.set(userId, left);
      else this.taken.delete(userId);
    };
  }
}
