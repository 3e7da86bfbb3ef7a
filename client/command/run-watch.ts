import type { LockyardClient } from '../lockyard-client';
import { systemClock } from '../platform/client-clock';
import { type WatchedLock, watchLocks } from '../watching/watch-locks';
import { endWithNpm } from './exec/end-with-npm';
import { OutageDetector, outageNotice } from './exec/outage-detector';
import { openClient } from './open-client';
import { COMMON_OPTIONS, readArguments, wrongUsage } from './read-arguments';
import { openOutput } from './terminal/open-output';
import { printable, printableJson } from './terminal/printable';
import { createReporter } from './terminal/reporter';

export const WATCH_USAGE = 'lockyard watch NAME... [options]';

const OPTIONS = {
  ...COMMON_OPTIONS,
  prefix: { type: 'string', short: 'p' },
  'until-free': { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

/**
 * `lockyard watch`: prints a line for every state until it is interrupted, or its reader is gone;
 * the exit code, or null when help was asked for.
 */
export async function runWatch(words: string[]): Promise<number | null> {
  const { values, positionals: names } = readArguments(words, OPTIONS);
  if (values.help) return null;
  const { prefix, namespace, url } = values;
  const untilFree = values['until-free'] === true;
  if (names.length > 0 === (prefix !== undefined)) {
    throw wrongUsage(`Give either names or --prefix. Usage: ${WATCH_USAGE}`);
  }
  if (untilFree && names.length !== 1) throw wrongUsage('--until-free needs one NAME.');
  endWithNpm(process.env);
  const client = openClient({ url, namespace });
  reportOutages(client);
  const reader = new AbortController();
  const output = openOutput().on('error', () => reader.abort());
  const locks = prefix === undefined ? { names } : { prefix };
  for await (const lock of watchLocks({ ...locks, client, signal: reader.signal })) {
    output.write(`${values.json ? printableJson(lock) : formatState(lock)}\n`);
    if (untilFree && isFree(lock)) break;
  }
  return 0;
}

/** Reports an outage on standard error: the states of the locks show it only 5 s later. */
function reportOutages({ settings }: LockyardClient): void {
  const outage = new OutageDetector(systemClock, Number.POSITIVE_INFINITY, {
    ...outageNotice(createReporter('normal').normally),
    lasted: () => {},
  });
  settings.fetch = outage.fetch;
}

/** Whether the next acquire may be granted: an expired lease is no hold. */
function isFree({ state, queueLength }: WatchedLock): boolean {
  return (state === 'free' || state === 'expired') && queueLength === 0;
}

function formatState({ name, state, holders, queueLength }: WatchedLock): string {
  const parties = holders.map(({ owner, service, token, role, releasedAt }) => {
    const as = role === undefined ? '' : ` as ${printable(role)}`;
    const by = releasedAt === undefined ? 'by' : 'for a while after its release by';
    return ` ${by} ${printable(owner)} (${service})${as}, token ${token}`;
  });
  const waiting = queueLength === 0 ? '' : `, ${queueLength} waiting`;
  return `${printable(name)} is ${state}${parties.join(' and')}${waiting}`;
}
