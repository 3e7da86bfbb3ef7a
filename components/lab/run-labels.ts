import { type LabRow, type LabSettings, timeLimitMs } from '@/server/contract/console/lab/lab-race';
import type { LabRun, LabRunEntry, LabRunSummary } from '@/server/contract/console/lab/lab-run';
import { boundText, durationText } from '@/server/core/format/durations';
import { exactCount } from '@/server/core/format/numbers';
import { visibleText } from '@/server/core/format/visible-text';

/** How a run ended, in a few words. */
export function endLabel({
  endedAt,
  endedBy,
  startedAt,
  stoppedBy,
}: Pick<LabRunSummary, 'endedAt' | 'endedBy' | 'startedAt' | 'stoppedBy'>): string {
  if (endedAt === null) return stoppedBy === null ? 'Running' : 'Stopping…';
  const took = durationText(endedAt - startedAt);
  switch (endedBy) {
    case 'done':
      return `Finished in ${took}`;
    case 'stopped':
      return stoppedBy === null
        ? `Stopped after ${took}`
        : `Stopped by ${visibleText(stoppedBy)} after ${took}`;
    case 'restart':
      return `Ended by a server restart after ${took}`;
    default:
      return `Failed after ${took}`;
  }
}

/** What the message of a run is about. One that did not fail may have left scratch data. */
export const messageTitle = ({ endedBy }: Pick<LabRunSummary, 'endedBy'>): string =>
  endedBy === 'failed' ? 'The race failed' : 'Scratch data is left on a server';

/** How long its strategies may still take, by their time limit. Preparing each adds to it. */
export function longestLeftMs({
  entries,
  rows,
  settings,
  current,
}: Pick<LabRun, 'entries' | 'rows' | 'settings' | 'current'>): number {
  const ranMs = current?.samples.at(-1)?.elapsedMs ?? 0;
  const limitMs = timeLimitMs(settings);
  return (entries.length - rows.length) * limitMs - Math.min(ranMs, limitMs);
}

/** The settings of a run, as name and value. The seed of a race is known once it has started. */
export function settingFacts(
  settings: Omit<LabSettings, 'seed' | 'strategies'> & { seed?: number },
): [name: string, value: string][] {
  const { workers, stock, thinkMs, perEntryMs, pause, seed } = settings;
  return [
    ['stock', exactCount(stock)],
    ['workers', exactCount(workers)],
    ['think time', `${thinkMs}\u00a0ms`],
    ['each at most', boundText(perEntryMs)],
    ['paused worker', pause ? 'one' : 'none'],
    ...(seed === undefined ? [] : [['seed', String(seed)] satisfies [string, string]]),
  ];
}

/** What is written below a strategy's title: `No. 8 · MySQL`, `A wrong way · SQLite`. */
export function entryLabel(entry: LabRunEntry | undefined, servers: string | null): string {
  const isWrong = entry?.kind === 'wrong way';
  const timed = entry?.consistency === 'Timed' ? 'Timed' : null;
  return [isWrong && 'A wrong way', numberLabel(entry?.number ?? ''), servers, timed]
    .filter((part) => part)
    .join(' · ');
}

/** The label of a number of the catalogue; empty for `F`, its section of wrong ways. */
export const numberLabel = (number: string) => (/^\d/.test(number) ? `No.\u00a0${number}` : '');

/** The servers that a run used, each once, in the order of its rows. */
export function serversOf(rows: readonly LabRow[]): string {
  return [...new Set(rows.flatMap(({ servers }) => servers.split(' + ')))].join(', ');
}

/** A whole run as a file that programs can read. */
export function exportRun({ asOf: _, current: __, ...run }: LabRun): string {
  const file = { format: 'lockyard-lab-run', version: 1, ...run };
  return `${JSON.stringify(file, null, 2)}\n`;
}

/** `lockyard-lab-2026-11-21T10-04-31.json` */
export function exportName({ startedAt }: Pick<LabRun, 'startedAt'>): string {
  const at = new Date(startedAt).toISOString().slice(0, 19).replaceAll(':', '-');
  return `lockyard-lab-${at}.json`;
}
