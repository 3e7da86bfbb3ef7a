import {
  LAB_DEFAULTS,
  LAB_LIMITS,
  type LabEntry,
  type LabSettings,
  timeLimitMs,
} from '@/server/contract/console/lab/lab-race';
import { exactCount } from '@/server/core/format/numbers';

/** The form of a race, as typed. */
export interface RaceForm {
  /** Null: all that can run. */
  strategies: ReadonlySet<string> | null;
  workers: string;
  stock: string;
  thinkMs: string;
  /** Seconds for each strategy. */
  seconds: string;
  seed: string;
  pause: boolean;
}

export type RaceField = 'workers' | 'stock' | 'thinkMs' | 'seconds' | 'seed';

const FIELD_LIMITS: Record<RaceField, { least: number; most: number }> = {
  workers: LAB_LIMITS.workers,
  stock: LAB_LIMITS.stock,
  thinkMs: LAB_LIMITS.thinkMs,
  seconds: {
    least: LAB_LIMITS.perEntryMs.least / 1_000,
    most: LAB_LIMITS.perEntryMs.most / 1_000,
  },
  seed: LAB_LIMITS.seed,
};

/** What a form starts with: an earlier run's settings, or the usual ones. */
export function startingForm(from: LabSettings | null): RaceForm {
  const { workers, stock, thinkMs, perEntryMs, seed, pause } = from ?? LAB_DEFAULTS;
  return {
    strategies: from && new Set(from.strategies),
    workers: String(workers),
    stock: String(stock),
    thinkMs: String(thinkMs),
    seconds: String(Math.ceil(perEntryMs / 1_000)),
    seed: String(seed),
    pause,
  };
}

/** `1 to 500`. */
export function limitsLabel(field: RaceField): string {
  const { least, most } = FIELD_LIMITS[field];
  return `${exactCount(least)} to ${exactCount(most)}`;
}

/** A whole number as typed, with or without group separators; null if it is none. */
function parseWhole(text: string): number | null {
  const digits = text.trim().replaceAll(/(?<=\d)[,\u202f\u00a0 ](?=\d{3}\b)/g, '');
  return /^[-−]?\d{1,15}$/.test(digits) ? Number(digits.replace('−', '-')) : null;
}

/** What is wrong with a field; null if it is valid. */
export function fieldProblem(form: RaceForm, field: RaceField): string | null {
  const value = parseWhole(form[field]);
  const { least, most } = FIELD_LIMITS[field];
  if (value !== null && value >= least && value <= most) return null;
  return `Must be a whole number from ${limitsLabel(field)}`;
}

/**
 * What the form asks for; null while a field is wrong or nothing is chosen. Only strategies that
 * can run now are asked for.
 */
export function parseForm(form: RaceForm, entries: readonly LabEntry[]): LabSettings | null {
  const fields = Object.keys(FIELD_LIMITS) as RaceField[];
  if (fields.some((field) => fieldProblem(form, field) !== null)) return null;
  const strategies = chosenEntries(form, entries).map(({ id }) => id);
  if (strategies.length === 0) return null;
  const number = (field: RaceField) => parseWhole(form[field]) ?? 0;
  return {
    strategies,
    workers: number('workers'),
    stock: number('stock'),
    thinkMs: number('thinkMs'),
    perEntryMs: number('seconds') * 1_000,
    seed: number('seed'),
    pause: form.pause,
  };
}

/** The strategies that are chosen and can run now. */
export function chosenEntries(form: RaceForm, entries: readonly LabEntry[]): LabEntry[] {
  const { strategies } = form;
  return entries.filter(
    ({ id, lacks }) => lacks === null && (strategies === null || strategies.has(id)),
  );
}

/** The longest that a race may take, in milliseconds; null while that is not known. */
export const longestMs = (settings: LabSettings | null): number | null =>
  settings && settings.strategies.length * timeLimitMs(settings);
