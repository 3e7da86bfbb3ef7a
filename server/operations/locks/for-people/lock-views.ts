import type { z } from 'zod';
import type {
  LockInsightInput,
  LockListInput,
  lockEventsInput,
} from '../../../contract/console/console-inputs';
import type { FleetNow, LockInsight } from '../../../contract/console/insight-row';
import type { EventRow, LockDetail, LockPage, WaiterRow } from '../../../contract/console/lock-row';
import type { PastLockListInput, PastLockRef } from '../../../contract/console/past/past-inputs';
import type { LockDetailMessage } from '../../../contract/console/waits/lock-detail-message';
import { queueChanges } from '../../../core/waits/queue-changes';
import type { TrackedMessage } from '../../../monitoring/lock-list/lock-list-streams';
import { noNamespace } from '../../../monitoring/projection/monitored-backend';
import type { RecordKey } from '../../../storage/record-store';
import { askDatabase } from '../../ask-database';
import { watchDetail } from '../../live-updates';
import type { OperationContext } from '../../operation-context';
import { requireRole } from '../../require-role';

/**
 * The lock list as this process last read it: filtered and sorted, by default by severity. With
 * `at`, as it was then: see `PastView`.
 */
export async function listLocks(
  ctx: OperationContext,
  { at, ...input }: PastLockListInput,
): Promise<LockPage> {
  await requireRole(ctx, 'viewer');
  if (at !== undefined) return askDatabase(() => ctx.runtime.pastView.locks(at, input));
  return ctx.runtime.projection.page(input);
}

/**
 * The lock list, then its changes, and a message at least every two seconds, so that the list's age
 * can be shown.
 *
 * @param lastId of the last message that the client received, if the stream was interrupted
 */
export async function* watchLocks(
  ctx: OperationContext,
  input: LockListInput,
  lastId: string | null,
): AsyncGenerator<TrackedMessage, void> {
  await requireRole(ctx, 'viewer');
  yield* ctx.runtime.projection.live.follow(input, lastId, ctx.signal);
}

/**
 * A lock as its page shows it; while its backend does not respond, its last known state, marked as
 * such. With `at`, as it was then.
 */
export async function getLockDetail(
  ctx: OperationContext,
  { at, ...ref }: PastLockRef,
): Promise<LockDetail> {
  await requireRole(ctx, 'viewer');
  if (at === undefined) return readDetail(ctx, ref);
  return askDatabase(() => ctx.runtime.pastView.lock(at, ref));
}

async function readDetail({ runtime }: OperationContext, ref: RecordKey): Promise<LockDetail> {
  const detail = await runtime.projection.detail(ref.namespace, ref.name);
  const waitPart = runtime.waits.partOf(detail.row.id);
  return { ...detail, ...(waitPart ? { waitPart } : {}) };
}

/** A lock's page whenever its rev has changed, and at least every two seconds. */
export async function* watchLock(
  ctx: OperationContext,
  { namespace, name }: RecordKey,
): AsyncGenerator<LockDetailMessage, void> {
  await requireRole(ctx, 'viewer');
  const { projection } = ctx.runtime;
  const revOf = () => projection.row(namespace, name)?.rev;
  const details = watchDetail(ctx, revOf, () => readDetail(ctx, { namespace, name }));
  let before: WaiterRow[] | null = null;
  for await (const detail of details) {
    yield messageOf(detail, before);
    before = detail.waiters;
  }
}

function messageOf(detail: LockDetail, before: WaiterRow[] | null): LockDetailMessage {
  const { waiters, ...frame } = detail;
  const { asOf } = detail;
  const queue = before && queueChanges(before, waiters);
  return queue ? { kind: 'changes', frame, queue, asOf } : { kind: 'whole', detail, asOf };
}

/** A lock's history, newest first; `older` is the `before` of the next page, or null at the end. */
export async function listLockEvents(
  ctx: OperationContext,
  input: z.output<typeof lockEventsInput>,
): Promise<{ rows: EventRow[]; older: string | null }> {
  await requireRole(ctx, 'viewer');
  return ctx.runtime.events.list(input);
}

/**
 * One lock over a range of time, from the roll-ups and the events that are in none of them yet; all
 * zero for a lock that was never used. An event is missing until it is in the control database:
 * usually for less than a second, for 5 s behind a commit that is still under way, and while no
 * process runs maintenance. Of a lock with over 1,000 events in the last 15 s, only the newest
 * 1,000 of these are counted immediately.
 *
 * @throws LockyardError `NOT_FOUND` for an unknown namespace, `BACKEND_DOWN` while the control
 *   database is not responding
 */
export async function getLockInsight(
  ctx: OperationContext,
  { namespace, name, range }: LockInsightInput,
): Promise<LockInsight> {
  await requireRole(ctx, 'viewer');
  const { namespaces, insights, projection, clock } = ctx.runtime;
  const entry = await namespaces.get(namespace);
  if (!entry) throw noNamespace(namespace);
  const key = { namespace, name };
  // The roll-ups of a backend that is no longer configured are kept.
  const now = clock.now() + projection.clockOffsetMs(entry.backend, key);
  const view = await askDatabase(() => insights.ofLock(entry.backend, key, range, now));
  const ownHold = projection.row(namespace, name)?.ownHold ?? null;
  return { range, ...view, ownHold, asOf: clock.now() };
}

/** All locks together, now and over the last hour. */
export async function getFleet(ctx: OperationContext): Promise<FleetNow> {
  await requireRole(ctx, 'viewer');
  return askDatabase(() => ctx.runtime.fleet.now());
}
