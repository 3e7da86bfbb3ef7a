import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { z } from 'zod';
import { printable, printableJson } from '@/client/command/terminal/printable';
import { type Config, ownDatabasePath, readConfig } from '@/server/bootstrap/config/config';
import { readNamedFile } from '@/server/bootstrap/config/secret-files';
import { type Finding, finding, problem, warning } from '@/server/operations/installation/finding';
import {
  diskFinding,
  filesFinding,
  nodeFinding,
} from '@/server/operations/installation/process-findings';
import type { Clock } from '@/server/platform/clock';
import { firstLine } from '@/server/platform/first-line';
import { openFilesLimit } from '@/server/platform/process/open-files-limit.mjs';
import { StartError } from '@/server/platform/start-error';
import { askRunningServer } from '../control-socket';
import { counted } from '../counted';
import { onlyOptions } from '../usage-error';
import { examineAddress } from './examine-address';
import { examineStores } from './examine-stores';

type Env = Record<string, string | undefined>;

const USAGE = `Usage: npm run -s lockyard -- doctor [--json] [--url URL]

Checks an installation and says what to do: the server that runs on the data folder, its stores,
this machine, and the address at which callers reach it. It changes nothing. Run it as the user that
runs the server, with the server's environment.

  --url URL   The address to examine (default: LOCKYARD_URL, LOCKYARD_PUBLIC_URL, or the server's
              own).
  --json      For programs.

LOCKYARD_API_KEY lets it examine keys and streams. Exit codes: 0 all is well, 1 warnings,
2 problems.
`;

const OPTIONS = {
  json: { type: 'boolean' },
  url: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** The answer of a running server. Its environment may differ from that of the command. */
const serverReport = z.object({ address: z.string().optional(), findings: z.array(finding) });
type ServerReport = z.infer<typeof serverReport>;

/**
 * `lockyard doctor`: examines an installation and prints one line per finding, the worst first.
 *
 * @returns the exit code: 0 all passed, 1 warnings, 2 problems
 * @throws UsageError
 */
export async function runDoctor(
  words: string[],
  { env, clock, write }: { env: Env; clock: Clock; write: (text: string) => void },
): Promise<number> {
  const options = onlyOptions('doctor', words, OPTIONS);
  if (options.help) {
    write(USAGE);
    return 0;
  }
  const found = await examine(options.url, env, clock);
  const exitCode = exitCodeOf(found);
  write(options.json ? `${printableJson({ exitCode, findings: found })}\n` : textOf(found));
  return exitCode;
}

async function examine(url: string | undefined, env: Env, clock: Clock): Promise<Finding[]> {
  let config: Config;
  try {
    config = readConfig(env);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return [problem('configuration', error.message, 'See docs/configuration.md.')];
  }
  const isHere = existsSync(config.dataDir) || isElsewhere(config);
  const server = isHere ? await examineServer(config) : null;
  const alone = isHere && !server ? await examineMachine(config, clock) : [];
  const named = url ?? env.LOCKYARD_URL ?? config.publicUrl ?? server?.address;
  const addresses = named?.split(',') ?? [];
  const { key, unread } = apiKeyOf(env);
  const reached = await Promise.all(addresses.map((each) => examineNamed(each.trim(), key, clock)));
  if (addresses.length === 0 && !isHere) return [noInstallation(config), ...unread];
  const missing = isHere ? [] : [notExamined(config)];
  return [...(server?.findings ?? alone), ...missing, ...unread, ...reached.flat()];
}

/** Whether the environment names a control database other than the one in the data folder. */
const isElsewhere = ({ database, dataDir }: Config): boolean =>
  database.kind !== 'sqlite' || database.path !== ownDatabasePath(dataDir);

/** The findings of the server on the data folder; null if none runs there. */
async function examineServer({ dataDir }: Config): Promise<ServerReport | null> {
  const look = 'See the log of the server; one of an older version cannot be examined.';
  try {
    const reply = await askRunningServer(dataDir, { verb: 'doctor', input: {} });
    if (reply === null) return null;
    if (!reply.ok) return { findings: [problem('server', reply.message, look)] };
    return serverReport.parse(JSON.parse(reply.print ?? ''));
  } catch (error) {
    return { findings: [problem('server', firstLine(error), look)] };
  }
}

async function examineMachine(config: Config, clock: Clock): Promise<Finding[]> {
  const { dataDir } = config;
  const start = 'Start it, or name its folder in LOCKYARD_DATA_DIR.';
  const disk = await statfs(dataDir).catch(() => null);
  return [
    problem('server', `none runs on the data folder ${dataDir}`, start),
    nodeFinding(process.versions.node, clock.now()),
    filesFinding(openFilesLimit(), null),
    ...(disk ? [diskFinding(disk.bavail * disk.bsize, disk.blocks * disk.bsize)] : []),
    ...(await examineStores(config)),
  ];
}

async function examineNamed(url: string, key: string | null, clock: Clock): Promise<Finding[]> {
  if (URL.canParse(url) && /^https?:/.test(url)) return examineAddress(url, key, clock);
  const says = `"${url}" is no http(s) address`;
  return [problem('address', says, 'Use one such as https://locks.example.com.')];
}

const noInstallation = ({ dataDir }: Config): Finding =>
  problem(
    'installation',
    `there is none at ${dataDir}`,
    'Name its folder in LOCKYARD_DATA_DIR, or its address with --url.',
  );

const notExamined = ({ dataDir }: Config): Finding =>
  warning(
    'installation',
    `only the address was examined: there is no data folder ${dataDir}`,
    'Run it on the machine of the server, in its folder, or name that in LOCKYARD_DATA_DIR.',
  );

/** The API key of the environment, null without one, and the finding on a file that is unread. */
function apiKeyOf({ LOCKYARD_API_KEY: key, LOCKYARD_API_KEY_FILE: file }: Env): {
  key: string | null;
  unread: Finding[];
} {
  if (key || !file) return { key: key?.trim() || null, unread: [] };
  try {
    return { key: readNamedFile('LOCKYARD_API_KEY_FILE', file).trim(), unread: [] };
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    const advice = 'Let this user read it, or set LOCKYARD_API_KEY.';
    return { key: null, unread: [problem('API key', error.message, advice)] };
  }
}

const RANK = { problem: 2, warning: 1, ok: 0 };
const LABEL = { problem: 'PROBLEM', warning: 'WARNING', ok: 'ok     ' };

const exitCodeOf = (found: Finding[]) => Math.max(0, ...found.map(({ level }) => RANK[level]));

function textOf(found: Finding[]): string {
  const worstFirst = [...found].sort((a, b) => RANK[b.level] - RANK[a.level]);
  const lines = worstFirst.map(({ subject, level, says, advice }) =>
    printable(`${LABEL[level]} ${subject}: ${says}${advice === null ? '' : ` -> ${advice}`}`),
  );
  const count = (level: Finding['level']) => found.filter((each) => each.level === level).length;
  const sum = [
    counted(count('problem'), 'problem'),
    counted(count('warning'), 'warning'),
    `${count('ok')} passed`,
  ].join(', ');
  return `${[...lines, sum].join('\n')}\n`;
}
