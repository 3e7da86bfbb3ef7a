import { formatDuration } from '../../../client/command/terminal/duration';
import { clockOffsetOfKeeper } from '../../contract/console/backend-health';
import type { LockPage, LockRow } from '../../contract/console/lock-row';
import { listLocks } from '../../operations/locks/for-people/lock-views';
import { engineOf } from '../../operations/locks/resolve-lock';
import type { ControlContext } from '../../operations/operation-context';
import type { CliAnswer } from '../cli-answer';
import type { InputOf } from '../provisioning/provisioning-command';
import { textTable } from '../provisioning/text-table';
import { requireServer } from '../require-server';
import { lackNote, notConfigured, notResponding } from './not-responding';

/**
 * The locks as the server last read them, most urgent first: at most one page. Locks of a backend
 * that does not respond are in the state `unknown`.
 *
 * @throws LockyardError `NOT_FOUND` for a namespace that does not exist; `BACKEND_DOWN` for one on
 *   a backend that the server is not configured for
 */
export async function listAllLocks(
  ctx: ControlContext,
  input: InputOf<'locks list'>,
): Promise<CliAnswer> {
  const order = { sort: 'worst', descending: false, offset: 0, limit: 1_000 } as const;
  const server = requireServer(ctx);
  if (input.namespace !== undefined) await engineOf(server, input.namespace);
  const page = await listLocks(server, { ...input, ...order });
  const locks = page.rows.map((row) => {
    const { namespace, name, status, holders, waiters } = row;
    const held = { holders: status === 'free' ? 0 : holders, ...shownHold(row) };
    return { namespace, name, state: status, ...held, waiters };
  });
  const missing = input.namespace === undefined ? await notConfigured(server) : [];
  const { matching, backends } = page;
  const silent = notResponding(backends);
  return {
    text: lockTable(page),
    note: lackNote('locks', page, missing),
    data: { locks, matching, notResponding: silent, notConfigured: missing },
  };
}

/**
 * The hold that represents a lock, or the one that has expired; each field null if it has none. The
 * record of a free lock keeps its hold until maintenance ends it, if it was released before the
 * least time for which it was to be held.
 */
function shownHold({ status, hold, ended }: LockRow) {
  const lapsed = status === 'expired' && ended ? { ...ended, expiresAt: ended.at } : null;
  const shown = status === 'free' ? null : (hold ?? lapsed);
  return {
    owner: shown?.owner ?? null,
    service: shown?.service ?? null,
    token: shown?.token ?? null,
    grantedAt: shown?.grantedAt ?? null,
    expiresAt: shown?.expiresAt ?? null,
  };
}

/** A page as a table; null: it is empty. */
export function lockTable({ rows, backends, asOf }: LockPage): string | null {
  const nowOf = (row: LockRow) => asOf + clockOffsetOfKeeper(backends, row);
  return textTable(rows.map((row) => line(row, nowOf(row))));
}

/** @param now the time on the clock of the lock's keeper */
function line(row: LockRow, now: number): Record<string, unknown> {
  const { status, namespace, name, holders, waiters } = row;
  const { owner, service, token, grantedAt, expiresAt } = shownHold(row);
  const others = holders > 1 ? ` and ${holders - 1} more` : '';
  return {
    state: status,
    namespace,
    name,
    owner: owner && `${owner} (${service})${others}`,
    token,
    held: grantedAt && formatDuration(Math.max(0, heldUntil(row, now) - grantedAt)),
    'lease left': expiresAt && signedDuration(expiresAt - now),
    waiting: waiters,
  };
}

const heldUntil = ({ hold, ended }: LockRow, now: number) => (hold ? now : (ended?.at ?? now));

const signedDuration = (ms: number) => `${ms < 0 ? '-' : ''}${formatDuration(Math.abs(ms))}`;
