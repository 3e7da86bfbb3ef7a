import type { LabRow } from '@/server/contract/console/lab/lab-race';
import { isOfWrongWay, type LabRun } from '@/server/contract/console/lab/lab-run';
import { exactCount, plural } from '@/server/core/format/numbers';
import { latencyText } from '../../format/durations';

/** What a run showed, in words. */
export interface RunVerdict {
  /** What held; empty if nothing did, or only wrong ways did. */
  held: string;
  /** How many held, other than by luck. */
  heldCount: number;
  /** Which wrong ways did not oversell this time; empty if all did. */
  lucky: string;
  /** What oversold; empty if nothing did. */
  oversold: string;
  /** What did not finish; empty if everything did. */
  incomplete: string;
  /** The conclusion. */
  advice: string;
  /** The fastest strategy that held, other than by luck; null if none did. */
  fastest: LabRow | null;
}

const SMALL_NUMBERS = [
  'No',
  'One',
  'Two',
  'Three',
  'Four',
  'Five',
  'Six',
  'Seven',
  'Eight',
  'Nine',
  'Ten',
  'Eleven',
  'Twelve',
];

/** A number that begins a sentence: in words up to twelve. */
const inWords = (count: number) => SMALL_NUMBERS[count] ?? exactCount(count);

/**
 * The result of a run in sentences that are true of it: nothing is said of strategies that did not
 * run.
 */
export function runVerdict(run: Pick<LabRun, 'rows' | 'entries' | 'settings'>): RunVerdict {
  const { rows, entries, settings } = run;
  const isWrongWay = ({ id }: LabRow) => isOfWrongWay(id, entries);
  const all = rows.filter(({ verdict }) => verdict === 'holds');
  const held = all.filter((row) => !isWrongWay(row));
  const lucky = all.filter(isWrongWay);
  const oversold = rows.filter(({ verdict }) => verdict === 'oversells');
  const fastest = bySpeed(held)[0] ?? null;
  return {
    held: heldSentence(held, settings.stock),
    heldCount: held.length,
    lucky: luckySentence(lucky),
    oversold: oversoldSentence(oversold, isWrongWay, settings.pause),
    incomplete: incompleteSentence(rows.filter(({ verdict }) => verdict === 'incomplete')),
    advice: [adviceOf(fastest, lucky, run), strongAdvice(fastest, held, entries)].join('').trim(),
    fastest,
  };
}

function heldSentence(held: LabRow[], stock: number): string {
  if (held.length === 0) return '';
  const ways = held.length === 1 ? 'way' : 'ways';
  const soldAll = held.every((row) => row.sold === stock);
  const what = soldAll ? `sold exactly ${exactCount(stock)}` : 'never oversold';
  return `${inWords(held.length)} ${ways} ${what}.`;
}

function luckySentence(lucky: LabRow[]): string {
  if (lucky.length === 0) return '';
  return `${inWords(lucky.length)} wrong ${lucky.length === 1 ? 'way was' : 'ways were'} lucky.`;
}

/** A right way that oversold is named; wrong ways are counted, since that is what they do. */
function oversoldSentence(
  oversold: LabRow[],
  isWrongWay: (row: LabRow) => boolean,
  pause: boolean,
): string {
  const right = oversold.filter((row) => !isWrongWay(row));
  const wrong = oversold.filter(isWrongWay);
  const paused = pause ? 'Paused past its lease: ' : '';
  return [
    ...(right.length === 0 ? [] : [`${paused}${namesOf(right)} oversold by ${excessOf(right)}.`]),
    ...(wrong.length === 0
      ? []
      : [
          `${inWords(wrong.length)} wrong ${wrong.length === 1 ? 'way' : 'ways'} ` +
            `oversold by ${excessOf(wrong)}.`,
        ]),
  ].join(' ');
}

const NAMED_MAX = 3;

function namesOf(rows: LabRow[]): string {
  if (rows.length > NAMED_MAX) return `${rows.length} strategies`;
  const names = rows.map(({ title }) => `“${title}”`);
  const last = names.pop() ?? '';
  return names.length === 0 ? last : `${names.join(', ')} and ${last}`;
}

const excessOf = (rows: LabRow[]): string =>
  plural(
    rows.reduce((sum, row) => sum + row.oversold, 0),
    'unit',
  );

function incompleteSentence(rows: LabRow[]): string {
  if (rows.length === 0) return '';
  return `${inWords(rows.length)} did not finish.`;
}

function adviceOf(
  fastest: LabRow | null,
  lucky: LabRow[],
  { settings, rows }: Pick<LabRun, 'settings' | 'rows'>,
): string {
  if (rows.length === 0) return '';
  const { workers, stock, thinkMs } = settings;
  const workerText = plural(workers, 'worker');
  const load = `${workerText}, stock ${exactCount(stock)}, think time ${thinkMs}\u00a0ms`;
  if (!fastest) {
    const what = lucky.length > 0 ? 'no strategy held, except by luck' : 'no strategy held';
    return `On this machine, for this load (${load}), ${what}.`;
  }
  const { title, opsPerSecond, p99Ms } = fastest;
  return (
    `On this machine, for this load (${load}), the fastest that held was “${title}”: ` +
    `${exactCount(Math.round(opsPerSecond))} per second, p99 ${latencyText(p99Ms)}.`
  );
}

/** A sentence on the fastest Strong strategy if the fastest that held is not Strong; else empty. */
function strongAdvice(
  fastest: LabRow | null,
  held: LabRow[],
  entries: Pick<LabRun, 'entries'>['entries'],
): string {
  const isStrong = ({ id }: LabRow) =>
    entries.find((entry) => entry.id === id)?.consistency === 'Strong';
  if (!fastest || isStrong(fastest)) return '';
  const strong = bySpeed(held.filter(isStrong))[0];
  if (!strong) return '';
  const rate = exactCount(Math.round(strong.opsPerSecond));
  return (
    ` It is not Strong; the fastest of those that are was “${strong.title}”: ` +
    `${rate} per second.`
  );
}

const bySpeed = (rows: LabRow[]) => rows.toSorted((a, b) => b.opsPerSecond - a.opsPerSecond);

/** Oversold first, then what held, the fastest first, then what did not finish. */
export function sortRows(rows: readonly LabRow[]): LabRow[] {
  const tier = { oversells: 0, holds: 1, incomplete: 2 };
  return rows.toSorted(
    (a, b) => tier[a.verdict] - tier[b.verdict] || b.opsPerSecond - a.opsPerSecond,
  );
}
