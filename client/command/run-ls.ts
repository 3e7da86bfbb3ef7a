import type { LockyardClient } from '../lockyard-client';
import type { Holder, ListAnswer, ListedLock } from '../wire/wire';
import { openClient } from './open-client';
import { COMMON_OPTIONS, readArguments, refuseExtraWord } from './read-arguments';
import { formatDuration } from './terminal/duration';
import { printable, printableJson } from './terminal/printable';

export const LS_USAGE = 'lockyard ls [PREFIX] [options]';

const OPTIONS = {
  ...COMMON_OPTIONS,
  all: { type: 'boolean', short: 'a' },
  json: { type: 'boolean' },
} as const;

const PAGE = 1_000;

/** `lockyard ls`: the locks of a namespace as text; null when help was asked for. */
export async function runLs(words: string[]): Promise<string | null> {
  const { values, positionals } = readArguments(words, OPTIONS);
  if (values.help) return null;
  const [prefix, surplus] = positionals;
  refuseExtraWord(surplus, LS_USAGE);
  const client = openClient({ url: values.url, namespace: values.namespace });
  const list = await wholeList(client, prefix || undefined, values.all !== true);
  const { namespace } = client.settings;
  return values.json ? printableJson({ namespace, ...list }) : formatList(list);
}

/** The rows of all pages, with the age of the oldest page. */
async function wholeList(client: LockyardClient, prefix: string | undefined, busy: boolean) {
  const locks: ListedLock[] = [];
  let ageMs = 0;
  let after: string | undefined;
  do {
    const page: ListAnswer = await client.list({ prefix, busy, after, limit: PAGE });
    locks.push(...page.locks);
    ageMs = Math.max(ageMs, page.ageMs);
    after = page.next ?? undefined;
  } while (after !== undefined);
  return { ageMs, locks };
}

function formatList({ locks, ageMs }: { locks: ListedLock[]; ageMs: number }): string {
  const lines = locks.map(({ name, state, holders, queueLength }) => [
    state,
    printable(name),
    partyOf(holders),
    holders.length > 0 ? formatDuration(Math.max(...holders.map(leaseLeftMs))) : '–',
    String(queueLength),
  ]);
  const age = ageMs >= 2_000 ? `\nAs read ${formatDuration(ageMs)} ago.` : '';
  return (
    formatColumns([['STATE', 'NAME', 'OWNER (SERVICE)', 'LEASE LEFT', 'WAITING'], ...lines]) + age
  );
}

const leaseLeftMs = ({ expiresInMs }: Holder) => expiresInMs;

function partyOf([holder, ...others]: Holder[]): string {
  if (!holder) return '–';
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  const released = holder.releasedAt === undefined ? '' : ', released';
  return `${printable(holder.owner)} (${holder.service})${released}${more}`;
}

/** Lines of cells, each column as wide as its widest cell. */
function formatColumns(lines: string[][]): string {
  const widths: number[] = [];
  for (const cells of lines) {
    for (const [i, cell] of cells.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  }
  const line = (cells: string[]) => cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ');
  return lines.map((cells) => line(cells).trimEnd()).join('\n');
}
