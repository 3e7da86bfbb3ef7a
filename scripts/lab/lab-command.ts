import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { runVerdict } from '@/components/lab/result/lab-verdict';
import { readConfig } from '@/server/bootstrap/config/config';
import type {
  LabPreflight,
  LabProgress,
  LabRow,
  LabSettings,
} from '@/server/contract/console/lab/lab-race';
import { LabRunner } from '@/server/lab/lab-runner';
import { systemClock } from '@/server/platform/clock';
import { createLog } from '@/server/platform/log';
import { ENDING_SIGNALS } from '@/server/platform/process/ending-signals';
import { StartError } from '@/server/platform/start-error';
import { catalogue } from '@/server/strategies/catalogue';
import { ArgumentError, HELP, type LabArguments, readLabArguments } from './lab-arguments';
import { labTable } from './lab-table';

/**
 * The exit code after `--check`, which only checks the arguments that follow, if nothing is left to
 * do.
 */
const NOTHING_LEFT = 10;

type Finished = Extract<LabProgress, { kind: 'finished' }>;

const print = (text: string) => process.stdout.write(`${text}\n`);
const say = (text: string) => process.stderr.write(`${text}\n`);

const [first, ...rest] = process.argv.slice(2);
const isCheck = first === '--check';
const typed = isCheck || first === undefined ? rest : [first, ...rest];

try {
  const given = readLabArguments(typed, catalogue);
  const { lab } = readConfig(labVariables());
  if (given.help) {
    print(`${HELP}\n\n${catalogueList()}`);
    process.exitCode = isCheck ? NOTHING_LEFT : 0;
  } else if (!isCheck) {
    await race(given, lab);
  }
} catch (error) {
  if (!(error instanceof ArgumentError || error instanceof StartError)) throw error;
  say(error.message);
  process.exitCode = 2;
}

/** Only the Lab's own variables: the environment may also configure a server. */
function labVariables(): Record<string, string | undefined> {
  const all = Object.entries(process.env);
  return Object.fromEntries(all.filter(([name]) => name.startsWith('LOCKYARD_LAB_')));
}

function catalogueList(): string {
  const lines = catalogue.map(
    ({ id, number, title }) => `  ${id.padEnd(30)} ${number.padEnd(3)} ${title}`,
  );
  return ['Strategies:', ...lines].join('\n');
}

async function race(given: LabArguments, lab: ReturnType<typeof readConfig>['lab']): Promise<void> {
  const runner = new LabRunner({
    servers: lab.servers,
    backends: [],
    onBackends: true,
    processPath: fileURLToPath(new URL('./lab-process.mjs', import.meta.url)),
    folder: tmpdir(),
    log: createLog(),
    clock: systemClock,
  });
  const found = await runner.preflight();
  for (const { name, address, version, state, advice } of found.servers) {
    const facts = [state, address, version].filter(Boolean).join(', ');
    say(`${name}: ${facts}${advice ? `. ${advice}` : ''}`);
  }
  const strategies = runnable(given.strategies, found);
  if (strategies.length === 0) throw new ArgumentError('None of these strategies can run here.');
  const settings = { ...given.settings, strategies };
  const { rows, last } = await run(runner, settings);
  if (given.json) {
    print(JSON.stringify({ settings, rows, last }, null, 2));
  } else {
    const { held, oversold, incomplete, advice } = runVerdict({ ...found, rows, settings });
    const sentences = [held, oversold, incomplete, advice].filter((each) => each !== '');
    print(`${labTable(rows)}\n\n${sentences.join('\n')}`);
  }
  if (last.message) say(last.message);
  process.exitCode = last.endedBy === 'done' ? 0 : 1;
}

/** The named strategies that can run; reports what the others lack. */
function runnable(named: string[], { entries }: LabPreflight): string[] {
  const chosen = entries.filter(({ id }) => named.includes(id));
  for (const { title, lacks } of chosen) if (lacks !== null) say(`Left out: ${title}. ${lacks}`);
  return chosen.filter(({ lacks }) => lacks === null).map(({ id }) => id);
}

function run(
  runner: LabRunner,
  settings: LabSettings,
): Promise<{ rows: LabRow[]; last: Finished }> {
  const rows: LabRow[] = [];
  const stop = () => runner.stop();
  for (const signal of ENDING_SIGNALS) process.on(signal, stop);
  return new Promise((resolve) => {
    runner.start({ runId: randomBytes(6).toString('hex'), ...settings }, (message) => {
      if (message.kind === 'finished') resolve({ rows, last: message });
      if (message.kind !== 'entry-finished') return;
      rows.push(message.row);
      const { title, sold, oversold, verdict } = message.row;
      say(
        `${rows.length}/${settings.strategies.length} ${title}: ${verdict}, ` +
          `${sold} sold, ${oversold} oversold`,
      );
    });
  });
}
