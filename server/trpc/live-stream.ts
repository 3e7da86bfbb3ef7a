import { tracked } from '@trpc/server';
import type { UserActor } from '../auth/actor';
import type { ConsoleContext } from './console-context';
import { untilAborted } from './until-aborted';

/**
 * One person's live stream: counted against the number that a person may have, and ended within 1 s of the end of the
 * session that opened it, or of a change of the person's role. Each value is tracked by the server's clock, so that a page
 * knows how old the last one is.
 */
export async function* liveStream<T extends { asOf: number }>(
  ctx: ConsoleContext & { user: UserActor },
  values: AsyncGenerator<T, void>,
) {
  const release = ctx.streams.take(ctx.user.userId);
  const session = ctx.runtime.sessions.watch(ctx.user);
  try {
    for await (const value of untilAborted(values, session.signal)) {
      yield tracked(String(value.asOf), value);
    }
  } finally {
    session.close();
    release();
  }
}
