import { closeSync, fsyncSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { printableJson } from '../../../client/command/terminal/printable';
import { LockyardError } from '../../contract/errors';
import { StartError } from '../../platform/start-error';
import type { ApplyCommand, CliCommand } from '../cli-command';
import type { WantedState } from './apply-input';
import { type ApplyReport, reportLines } from './apply-report';
import { readWantedState } from './read-wanted-state';

/** How the command line ends: with 2 for a dry run that found differences. */
const DIFFERS = 2;

/** What the caller of `apply` lends it. */
interface ApplySurroundings {
  environment: Record<string, string | undefined>;
  /** Passes the command to the running server, or runs it here. */
  ask: (command: CliCommand) => Promise<string | null>;
  print: (text: string) => void;
  json: boolean;
}

/**
 * Applies a file, and answers the exit code. Secrets that are generated go to the files that it
 * names, mode 0600, which are made before anything is changed; others are printed, and so is one
 * whose file cannot be written then.
 *
 * @throws StartError for a file that cannot be read or is wrong, or a secret that was printed since
 *   its file could not be written; LockyardError for a change that failed, after those before it
 *   were reported
 */
export async function applyFile(
  { file, dryRun, prune }: ApplyCommand,
  { environment, ask, print, json }: ApplySurroundings,
): Promise<number> {
  const { state, env } = readWantedState(file, textOf(file), environment);
  const request = async (isDryRun: boolean) => {
    const input = { file, state, env, prune, dryRun: isDryRun };
    const answer = await ask({ verb: 'apply', input, json: true });
    return JSON.parse(answer ?? '{}') as ApplyReport;
  };
  const planned = await request(true);
  if (dryRun) {
    print(json ? printableJson(planned) : reportLines(planned, true).join('\n'));
    return planned.changes.length > 0 ? DIFFERS : 0;
  }
  const files = new SecretFiles(file, state, planned);
  try {
    const report = await request(false);
    const secrets = report.secrets.filter((secret) => !files.write(secret));
    const shown = { ...report, secrets };
    if (json) print(printableJson(shown));
    else {
      const lines = secrets.map(({ kind, name, secret }) => `${kind} ${name}: ${secret}`);
      print([...reportLines(report, false), ...lines].join('\n'));
    }
    const { failure } = report;
    if (failure) throw new LockyardError(failure.reason, failure.message);
    const [unwritten] = files.failures;
    if (unwritten) throw unwritten;
    return 0;
  } finally {
    files.close();
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (cause) {
    throw new StartError(`${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

/** The files for the keys that are about to be generated. */
class SecretFiles {
  /** Why secrets that have a file are not there. */
  readonly failures: StartError[] = [];
  private readonly open = new Map<string, { path: string; handle: number; isUsed: boolean }>();

  /** @throws StartError for a file that is there already, or cannot be made */
  constructor(file: string, { keys = [] }: WantedState, { changes }: ApplyReport) {
    for (const { name, secretFile } of keys) {
      const isNew = changes.some(
        (each) => each.sign === '+' && each.kind === 'key' && each.name === name,
      );
      if (secretFile === undefined || !isNew) continue;
      const path = resolve(dirname(file === '-' ? '.' : file), secretFile);
      try {
        this.open.set(name, { path, handle: openSync(path, 'wx', 0o600), isUsed: false });
      } catch (cause) {
        this.close();
        const text = `The key of ${name} cannot be written: ${(cause as Error).message}`;
        throw new StartError(text, { cause });
      }
    }
  }

  /** Whether a secret is in a file of its own now; if not, it has to be printed. */
  write({ kind, name, secret }: ApplyReport['secrets'][number]): boolean {
    const file = kind === 'key' ? this.open.get(name) : undefined;
    if (!file) return false;
    try {
      writeFileSync(file.handle, `${secret}\n`);
      fsyncSync(file.handle);
    } catch (cause) {
      const text = `The key of ${name} is printed, not written: ${(cause as Error).message}`;
      this.failures.push(new StartError(text, { cause }));
      return false;
    }
    file.isUsed = true;
    return true;
  }

  /** Removes those that were not needed. */
  close(): void {
    for (const { path, handle, isUsed } of this.open.values()) {
      closeSync(handle);
      if (!isUsed) rmSync(path, { force: true });
    }
    this.open.clear();
  }
}
