import { tracked } from '@trpc/server';
import type { UserActor } from '../../auth/actor';
import type { ConsoleContext } from './console/console-context';
import { untilAborted } from './until-aborted';

/**
 * One person's live stream: counted against the number that a person may have, and ended within 1 s
 * of the end of the session that opened it, or of a change of the person's role. Each value goes
 * with an id, which the browser names if the stream is cut off and opened again.
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

/** For values that are each complete: a client never resumes from one of them. */
export async function* withClockIds<T extends { asOf: number }>(values: AsyncGenerator<T, void>) {
  for await (const data of values) yield { id: String(data.asOf), data };
}
