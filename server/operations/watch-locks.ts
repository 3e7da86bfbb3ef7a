import type { LockListInput } from '../domain/console-inputs';
import type { LockListMessage } from '../domain/lock-list-message';
import type { LockPage } from '../domain/lock-row';
import { pageChanges } from '../observe/page-changes';
import type { OperationContext } from './operation-context';
import { LIVE_PACE, pacedChanges } from './paced-changes';
import { requireRole } from './require-role';

/** The lock list, then its changes; a message at every beat as well, so that the list's age can be shown. */
export async function* watchLocks(
  ctx: OperationContext,
  input: LockListInput,
): AsyncGenerator<LockListMessage, void> {
  await requireRole(ctx, 'viewer');
  const { board } = ctx.runtime;
  let sent: LockPage | null = null;
  for await (const _ of pacedChanges(
    (listener) => board.subscribe(listener),
    LIVE_PACE,
    ctx.signal,
  )) {
    const page: LockPage = board.page(input);
    yield sent ? pageChanges(sent, page) : { kind: 'whole', page, asOf: page.asOf };
    sent = page;
  }
}
