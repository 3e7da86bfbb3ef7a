import type { Holder, InspectAnswer, Mode, PermitUse } from '../wire/wire';
import { openClient } from './open-client';
import { COMMON_OPTIONS, onlyArgument, readArguments } from './read-arguments';
import { formatDuration } from './terminal/duration';
import { printable, printableJson } from './terminal/printable';

export const INSPECT_USAGE = 'lockyard inspect NAME [options]';

const OPTIONS = { ...COMMON_OPTIONS, json: { type: 'boolean' } } as const;

/** `lockyard inspect`: one lock, read from the store now, as text; null if help was asked for. */
export async function runInspect(words: string[]): Promise<string | null> {
  const { values, positionals } = readArguments(words, OPTIONS);
  if (values.help) return null;
  const name = onlyArgument(positionals, INSPECT_USAGE);
  const client = openClient({ url: values.url, namespace: values.namespace });
  const answer = await client.inspect({ name });
  const { namespace } = client.settings;
  return values.json
    ? printableJson({ namespace, name, ...answer })
    : formatLock(namespace, name, answer);
}

function formatLock(
  namespace: string,
  name: string,
  { state, rev, holders, permits, waiters, frozen }: InspectAnswer,
): string {
  const { length } = waiters;
  return [
    `${printable(name)} in ${namespace} is ${state}, ${length === 0 ? 'no waiters' : `${length} waiting`}`,
    ...(rev === 0 ? ['this name is not known: it was never used, or has been deleted'] : []),
    ...(frozen ? [`frozen by ${printable(frozen.by)}: ${printable(frozen.reason)}`] : []),
    ...(permits ? [permitsInUse(permits)] : []),
    ...holders.map(holderLine),
    ...waiters.map(
      ({ place, owner, service, permits: wanted, waitedMs, patienceLeftMs }) =>
        `${place}. ${party(owner, service)}, waiting for ` +
        `${wanted === undefined ? '' : `${permitCount(wanted)} for `}` +
        `${formatDuration(waitedMs)}, gives ` +
        `up in ${formatDuration(patienceLeftMs)}`,
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
