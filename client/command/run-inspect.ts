import type { Holder, InspectAnswer, Mode } from '../wire/wire';
import { openClient } from './open-client';
import { COMMON_OPTIONS, onlyArgument, readArguments } from './read-arguments';
import { formatDuration } from './terminal/duration';
import { printable, printableJson } from './terminal/printable';

export const INSPECT_USAGE = 'lockyard inspect NAME [options]';

const OPTIONS = { ...COMMON_OPTIONS, json: { type: 'boolean' } } as const;

/** `lockyard inspect`: one lock, read afresh, as text; null when help was asked for. */
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
  { state, holders, waiters, frozen }: InspectAnswer,
): string {
  const { length } = waiters;
  return [
    `${printable(name)} in ${namespace} is ${state}, ${length === 0 ? 'no waiters' : `${length} waiting`}`,
    ...(frozen ? [`frozen by ${printable(frozen.by)}: ${printable(frozen.reason)}`] : []),
    ...holders.map(holderLine),
    ...waiters.map(
      ({ place, owner, service, waitedMs, patienceLeftMs }) =>
        `${place}. ${party(owner, service)}, waiting for ${formatDuration(waitedMs)}, gives ` +
        `up in ${formatDuration(patienceLeftMs)}`,
    ),
  ].join('\n');
}

function holderLine({ owner, service, mode, token, expiresInMs, releasedAt }: Holder): string {
  const who = `by ${party(owner, service)}, token ${token}`;
  const left = formatDuration(expiresInMs);
  if (releasedAt !== undefined) return `released ${who}, stays held for another ${left}`;
  return `${HELD[mode]} ${who}, ${left} of its lease left`;
}

const HELD: Record<Mode, string> = { exclusive: 'held', shared: 'shared' };

const party = (owner: string, service: string) => `${printable(owner)} (${service})`;
