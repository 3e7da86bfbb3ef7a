import { LockLost, lossFacts } from '../errors';
import { retrying } from '../wire/retry';
import { RETRY_BUDGET_MS } from '../wire/time-limits';
import type { ReleaseAnswer } from '../wire/wire';
import { EXIT } from './exit-codes';
import { openClient } from './open-client';
import {
  COMMON_OPTIONS,
  onlyArgument,
  readArguments,
  readNumber,
  wrongUsage,
} from './read-arguments';
import { formatDuration } from './terminal/duration';
import { printable, printableJson } from './terminal/printable';

export const RELEASE_USAGE = 'lockyard release NAME --token TOKEN --owner OWNER [options]';

const OPTIONS = {
  ...COMMON_OPTIONS,
  token: { type: 'string' },
  owner: { type: 'string' },
  json: { type: 'boolean' },
} as const;

/** `lockyard release`: releases a hold of this service; null if help was asked for. */
export async function runRelease(
  words: string[],
): Promise<{ text: string; exitCode: number } | null> {
  const { values, positionals } = readArguments(words, OPTIONS);
  if (values.help) return null;
  const name = onlyArgument(positionals, RELEASE_USAGE);
  const { owner } = values;
  if (!values.token || !owner)
    throw wrongUsage(`Missing --token or --owner. Usage: ${RELEASE_USAGE}`);
  const token = readNumber('--token', values.token, 1, Number.MAX_SAFE_INTEGER);

  const client = openClient({ url: values.url, namespace: values.namespace });
  const { clock, chance, namespace } = client.settings;
  const requestId = chance.id();
  const until = clock.monotonic() + RETRY_BUDGET_MS;
  const answer = await retrying({ clock, chance, until }, () =>
    client.release({ name, owner, token, requestId }),
  );
  const text = values.json
    ? printableJson({ namespace, name, token, ...answer })
    : formatRelease({ name, owner, token }, answer);
  return { text, exitCode: answer.outcome === 'lost' ? EXIT.conflict : 0 };
}

interface ReleasedHold {
  name: string;
  owner: string;
  token: number;
}

function formatRelease({ name, owner, token }: ReleasedHold, answer: ReleaseAnswer): string {
  if (answer.outcome === 'released') {
    const { freesInMs } = answer;
    const later = freesInMs === undefined ? '' : `, and frees in ${formatDuration(freesInMs)}`;
    return `${printable(name)} is released${later}`;
  }
  if (answer.outcome === 'lost') {
    // The token may be from long ago, or may never have been granted to this owner.
    return answer.cause === 'superseded'
      ? printable(`${name} has no hold of ${owner} with token ${token}, nor a record of one`)
      : printable(new LockLost(name, token, lossFacts(answer)).message);
  }
  const times = answer.holdCount === 1 ? 'time' : 'times';
  return `${printable(name)} is still held: entered ${answer.holdCount} more ${times}`;
}
