import { visiblePrefix } from '../../../auth/api-keys/authorise-call';
import type { WatchAnswer, WatchInput } from '../../../contract/lock/watch';
import type { WatchPace } from '../../../monitoring/watch/lock-watches';
import { readPosition } from '../../../monitoring/watch/watch-position';
import { watchTarget } from '../../../monitoring/watch/watch-target';
import type { OperationContext } from '../../operation-context';
import { resolveNamespace } from '../resolve-lock';
import { LIST_COST_CALLS } from './list-locks';
import { whileKeyIsLive } from './while-key-is-live';

/** How many names count as one plain call. */
const NAMES_PER_CALL = 100;

/** How often a stream reports that nothing has changed, with its present position. */
const KEEP_ALIVE_MS = 10_000;

/**
 * The locks that changed since a position; waits for a change as long as requested. Reads no
 * backend.
 *
 * @throws LockyardError as `resolveNamespace`; `INVALID` for a text that is not a position;
 *   `RATE_LIMITED` when the key has too many open watches; `UNAUTHENTICATED` within about a second
 *   after its key ends, `FORBIDDEN` as soon after the key is narrowed to less than what is watched;
 *   `BACKEND_DOWN` if this process has never read the backend
 */
export function watchLocks(ctx: OperationContext, input: WatchInput): Promise<WatchAnswer> {
  const pace = { waitMs: input.waitMs, isPolled: true };
  return watching(ctx, input, pace, async (answers) => {
    for await (const answer of answers) return answer;
    throw new Error('A watch has ended without an answer.');
  });
}

/**
 * `watchLocks` as a stream, which lasts until the caller hangs up, the key ends or is narrowed to
 * less than what is watched, or this process shuts down.
 *
 * @param send resolves when the next answer may be sent
 */
export function streamWatch(
  ctx: OperationContext,
  input: WatchInput,
  send: (answer: WatchAnswer) => Promise<void>,
): Promise<void> {
  const pace = { waitMs: KEEP_ALIVE_MS, isPolled: false };
  return watching(ctx, input, pace, async (answers, signal) => {
    for await (const answer of answers) if (!signal.aborted) await send(answer);
  });
}

async function watching<T>(
  ctx: OperationContext,
  input: WatchInput,
  pace: Pick<WatchPace, 'waitMs' | 'isPolled'>,
  run: (answers: AsyncGenerator<WatchAnswer, void>, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { namespace, names, since } = input;
  const isCostly = names === undefined && since === undefined;
  const calls = isCostly ? LIST_COST_CALLS : 1 + Math.floor((names?.length ?? 0) / NAMES_PER_CALL);
  const { engine, caller } = await resolveNamespace(ctx, 'lock.watch', { namespace, names }, calls);
  const seen = names ? { names } : { prefix: visiblePrefix(caller, input.prefix) };
  const target = watchTarget(engine.health().id, caller.service, { namespace, ...seen });
  const from = since === undefined ? null : readPosition(since);
  const { limits, projection } = ctx.runtime;
  const onWaiting = () => ctx.onWaiting?.();
  return whileKeyIsLive(
    ctx,
    // All names that begin with the watched prefix are allowed exactly if the prefix itself is.
    { procedure: 'lock.watch', namespace, names: seen.names ?? [seen.prefix] },
    (signal) =>
      run(projection.watches.follow(target, from, { ...pace, signal, onWaiting }), signal),
    (actor) => limits.enterWatch(actor),
  );
}
