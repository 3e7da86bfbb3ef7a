import { parseArgs } from 'node:util';
import { LAB_DEFAULTS, LAB_LIMITS, type LabSettings } from '@/server/contract/console/lab/lab-race';
import { nearestName } from '@/server/platform/nearest-name';

export interface LabArguments {
  /** Ids of the catalogue. */
  strategies: string[];
  settings: Omit<LabSettings, 'strategies'>;
  /** Whether to print the result as JSON instead of a table. */
  json: boolean;
  help: boolean;
}

/** A mistake in the arguments, in one line. */
export class ArgumentError extends Error {
  override readonly name = 'ArgumentError';
}

const OPTIONS = {
  strategies: { type: 'string' },
  workers: { type: 'string' },
  stock: { type: 'string' },
  'think-ms': { type: 'string' },
  seconds: { type: 'string' },
  pause: { type: 'boolean' },
  seed: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

export const HELP = `npm run lab -- [options]

  --strategies <list>  all, or ids and numbers of the catalogue separated by commas (all)
  --workers <number>   concurrent buyers (${LAB_DEFAULTS.workers})
  --stock <number>     units for sale (${LAB_DEFAULTS.stock})
  --think-ms <number>  between reading and writing, on average (${LAB_DEFAULTS.thinkMs})
  --seconds <number>   time limit of each strategy (${LAB_DEFAULTS.perEntryMs / 1_000})
  --pause              one more worker stops between reading and writing for longer than its lease
  --seed <number>      fixes the think times (${LAB_DEFAULTS.seed})
  --json               prints the result as JSON`;

/** A strategy as people refer to it. Several may share a number; the service has none. */
type Numbered = { id: string; number: string };

/**
 * Reads the arguments of `npm run lab`.
 *
 * @throws ArgumentError
 */
export function readLabArguments(args: string[], catalogue: readonly Numbered[]): LabArguments {
  const values = parse(args);
  const number = (option: keyof typeof OPTIONS, limits: { least: number; most: number }) => {
    const text = values[option];
    if (text === undefined) return undefined;
    const value = Number(text);
    if (typeof text === 'string' && /^\d{1,10}$/.test(text)) {
      if (value >= limits.least && value <= limits.most) return value;
    }
    const typed = String(text).slice(0, 40);
    throw new ArgumentError(
      `--${option} must be a whole number from ${limits.least} to ${limits.most}, not "${typed}".`,
    );
  };
  const { least, most } = LAB_LIMITS.perEntryMs;
  const seconds = number('seconds', { least: least / 1_000, most: most / 1_000 });
  return {
    strategies: readStrategies(values.strategies ?? 'all', catalogue),
    settings: {
      workers: number('workers', LAB_LIMITS.workers) ?? LAB_DEFAULTS.workers,
      stock: number('stock', LAB_LIMITS.stock) ?? LAB_DEFAULTS.stock,
      thinkMs: number('think-ms', LAB_LIMITS.thinkMs) ?? LAB_DEFAULTS.thinkMs,
      perEntryMs: seconds === undefined ? LAB_DEFAULTS.perEntryMs : seconds * 1_000,
      seed: number('seed', LAB_LIMITS.seed) ?? LAB_DEFAULTS.seed,
      pause: values.pause ?? LAB_DEFAULTS.pause,
    },
    json: values.json ?? false,
    help: values.help ?? false,
  };
}

function parse(args: string[]) {
  // A value that looks like an option, such as a negative number, belongs to the option before it.
  const joined = args.flatMap((arg, i) => {
    const before = args[i - 1];
    if (/^-\d/.test(arg) && before?.startsWith('--')) return [];
    const next = args[i + 1];
    return arg.startsWith('--') && next !== undefined && /^-\d/.test(next)
      ? [`${arg}=${next}`]
      : [arg];
  });
  try {
    return parseArgs({ args: joined, options: OPTIONS, strict: true, allowPositionals: false })
      .values;
  } catch (error) {
    const typed = /Unknown option '(--?[^']+)'/.exec((error as Error).message)?.[1];
    if (typed === undefined) throw new ArgumentError((error as Error).message.split('\n')[0] ?? '');
    const known = Object.keys(OPTIONS).map((name) => `--${name}`);
    const shown = typed.slice(0, 40);
    throw new ArgumentError(`Unknown option ${shown}. Did you mean ${nearestName(shown, known)}?`);
  }
}

function readStrategies(text: string, catalogue: readonly Numbered[]): string[] {
  const typed = text.split(',').map((one) => one.trim());
  const ids = catalogue.map(({ id }) => id);
  if (typed.length === 1 && typed[0] === 'all') return ids;
  const named = typed.flatMap((one) => strategiesCalled(one, catalogue));
  const twice = named.find((id, i) => named.indexOf(id) !== i);
  if (twice !== undefined) throw new ArgumentError(`The strategy "${twice}" is named twice.`);
  return named;
}

/** The strategy with this id, or all with this number. */
function strategiesCalled(typed: string, catalogue: readonly Numbered[]): string[] {
  const number = typed.toUpperCase();
  const found = catalogue.filter(
    (one) => one.id === typed || (number !== '' && one.number === number),
  );
  if (found.length > 0) return found.map(({ id }) => id);
  const shown = typed.slice(0, 40);
  const ids = catalogue.map(({ id }) => id);
  const hint = /^\d*$/.test(shown)
    ? '--help lists them.'
    : `Did you mean ${nearestName(shown, ids)}?`;
  throw new ArgumentError(`There is no strategy "${shown}". ${hint}`);
}
