import type { CounterListInput, CounterMovesInput } from '../../../contract/console/counter-inputs';
import type {
  CounterCourse,
  CounterCourses,
  CounterDetail,
  CounterMoveRow,
  CounterPage,
} from '../../../contract/console/counter-row';
import type {
  PastCounterListInput,
  PastCounterRef,
} from '../../../contract/console/past/past-inputs';
import type { RecordKey } from '../../../storage/record-store';
import { askDatabase } from '../../ask-database';
import { LIVE_UPDATES, throttledChanges, watchDetail } from '../../live-updates';
import type { OperationContext } from '../../operation-context';
import { requireRole } from '../../require-role';
import { detailWithGate } from './detail-with-gate';

/**
 * The counter list as this process last read it: filtered, sorted by name. With `at`, with the
 * values at that instant.
 */
export async function listCounters(
  ctx: OperationContext,
  { at, ...input }: PastCounterListInput,
): Promise<CounterPage> {
  await requireRole(ctx, 'viewer');
  if (at !== undefined) return askDatabase(() => ctx.runtime.pastView.counters.page(at, input));
  return ctx.runtime.projection.counters.page(input);
}

/** The counter list after changes, and at least every two seconds, to show its age. */
export async function* watchCounters(
  ctx: OperationContext,
  input: CounterListInput,
): AsyncGenerator<CounterPage, void> {
  await requireRole(ctx, 'viewer');
  const { projection } = ctx.runtime;
  const changes = throttledChanges(
    (listener) => projection.subscribe(listener),
    LIVE_UPDATES,
    ctx.signal,
  );
  for await (const _ of changes) yield await projection.counters.livePage(input);
}

/**
 * A counter as its page shows it; while its backend does not respond, its last known state, marked
 * as such. With `at`, as it was then, without its gate.
 */
export async function getCounterDetail(
  ctx: OperationContext,
  { at, ...ref }: PastCounterRef,
): Promise<CounterDetail> {
  await requireRole(ctx, 'viewer');
  if (at !== undefined) return askDatabase(() => ctx.runtime.pastView.counters.counter(at, ref));
  return detailWithGate(ctx, ref);
}

/** A counter's page whenever its rev has changed, and at least every two seconds. */
export async function* watchCounter(
  ctx: OperationContext,
  { namespace, name }: RecordKey,
): AsyncGenerator<CounterDetail, void> {
  await requireRole(ctx, 'viewer');
  const { counters } = ctx.runtime.projection;
  const revOf = () => counters.row(namespace, name)?.rev;
  yield* watchDetail(ctx, revOf, () => detailWithGate(ctx, { namespace, name }));
}

/** A counter's history, newest first; `older` is `before` of the next page, null at the end. */
export async function listCounterMoves(
  ctx: OperationContext,
  input: CounterMovesInput,
): Promise<{ rows: CounterMoveRow[]; older: string | null }> {
  await requireRole(ctx, 'viewer');
  return ctx.runtime.events.listCounterEvents(input);
}

/**
 * How the values of listed counters changed over the last hour. Read from roll-ups at most every
 * 10 s, for all viewers.
 *
 * @throws LockyardError `BACKEND_DOWN` while the control database is not responding
 */
export async function listCounterCourses(
  ctx: OperationContext,
  input: CounterListInput,
): Promise<CounterCourses> {
  await requireRole(ctx, 'viewer');
  return askDatabase(() => ctx.runtime.counterHistory.ofList(input));
}

/**
 * Like `listCounterCourses` for one counter; null if it did not change, or is not known.
 *
 * @throws LockyardError `BACKEND_DOWN` while the control database is not responding
 */
export async function getCounterCourse(
  ctx: OperationContext,
  { namespace, name }: RecordKey,
): Promise<CounterCourse | null> {
  await requireRole(ctx, 'viewer');
  return askDatabase(() => ctx.runtime.counterHistory.ofOne(namespace, name));
}
