import type { Holder, InspectAnswer, Mode, PermitUse } from '../../wire/wire';
import { formatDuration } from './duration';
import { printable } from './printable';

/** A lock with its holders and waiters, for a terminal: one line each. */
export function formatLock(
  namespace: string,
  name: string,
  { state, rev, holders, permits, waiters, frozen }: InspectAnswer,
): string {
  const queue = waiters.length === 0 ? 'no waiters' : `${waiters.length} waiting`;
  return [
    `${printable(name)} in ${namespace} is ${state}, ${queue}`,
    ...(rev === 0 ? ['this name is not known: it was never used, or has been deleted'] : []),
    ...(frozen ? [`frozen by ${printable(frozen.by)}: ${printable(frozen.reason)}`] : []),
    ...(permits ? [permitsInUse(permits)] : []),
    ...holders.map(holderLine),
    ...waiters.map(
      ({ place, owner, service, permits: wanted, waitedMs, patienceLeftMs }) =>
        `${place}. ${party(owner, service)}, waiting for ` +
        `${wanted === undefined ? '' : `${permitCount(wanted)} for `}` +
        `${formatDuration(waitedMs)}, times out in ${formatDuration(patienceLeftMs)}`,
    ),
  ].join('\n');
}

function holderLine({
  owner,
  service,
  mode,
  permits,
  token,
  expiresInMs,
  releasedAt,
}: Holder): string {
  const who = `by ${party(owner, service)}, token ${token}`;
  const left = formatDuration(expiresInMs);
  const count = permits === undefined ? '' : `${permitCount(permits)} `;
  if (releasedAt !== undefined) return `${count}released ${who}, stays held for another ${left}`;
  return `${count}${HELD[mode]} ${who}, ${left} of its lease left`;
}

const HELD: Record<Mode, string> = { exclusive: 'held', shared: 'shared', permit: 'held' };

function permitsInUse({ inUse, capacity, named }: PermitUse): string {
  const changed = named === undefined ? '' : ` (set by an operator; callers name ${named})`;
  return `${inUse} of ${capacity} permits in use${changed}`;
}

const permitCount = (count: number) => `${count} ${count === 1 ? 'permit' : 'permits'}`;

const party = (owner: string, service: string) => `${printable(owner)} (${service})`;
