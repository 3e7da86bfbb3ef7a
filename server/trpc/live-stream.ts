import { tracked } from '@trpc/server';
import type { UserActor } from '../auth/actor';
import { LockyardError } from '../domain/errors';
import type { ConsoleContext } from './console-context';

/** A session that has ended ends its streams within this time, plus the time between two values. */
const RECHECK_MS = 2_000;

/**
 * One person's live stream: counted against the number that a person may have, and ended with the session that opened
 * it. Each value is tracked by the server's clock, so that a page knows how old the last one is.
 */
export async function* liveStream<T extends { asOf: number }>(
  ctx: ConsoleContext & { user: UserActor },
  values: AsyncGenerator<T, void>,
) {
  const release = ctx.streams.take(ctx.user.userId);
  const { clock } = ctx.runtime;
  let checkedAt = clock.monotonic();
  try {
    for await (const value of values) {
      if (clock.monotonic() - checkedAt >= RECHECK_MS) {
        await refuseEndedSession(ctx);
        checkedAt = clock.monotonic();
      }
      yield tracked(String(value.asOf), value);
    }
  } finally {
    release();
  }
}

async function refuseEndedSession(ctx: ConsoleContext): Promise<void> {
  if (await ctx.resolveUserAgain()) return;
  throw new LockyardError('UNAUTHENTICATED', 'This session has ended.');
}
