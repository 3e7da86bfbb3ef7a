import { readFileSync } from 'node:fs';
import { printableJson } from '../../../client/command/terminal/printable';
import { fileFailure } from '../../backup/file-failure';
import { LockyardError } from '../../contract/errors';
import { StartError } from '../../platform/start-error';
import type { ApplyCommand, CliCommand } from '../cli-command';
import { type ApplyReport, reportLines } from './apply-report';
import { KeyFiles } from './key-files';
import type { MadeSecret } from './planned-change';
import { readWantedState } from './read-wanted-state';

/** Exit code of a dry run that found differences. */
const DIFFERS = 2;

/** What the caller of `apply` provides. */
interface ApplySurroundings {
  environment: Record<string, string | undefined>;
  /** Passes the command to the running server, or runs it here. */
  ask: (command: CliCommand) => Promise<string | null>;
  /** @param lost what to do about secrets in the text that are lost if it cannot be printed */
  print: (text: string, lost?: string | null) => Promise<void>;
  json: boolean;
}

/**
 * Applies a file, and returns the exit code. Generated keys with a `secretFile` are written to it
 * before they are stored; other generated secrets are printed.
 *
 * @throws StartError for a file that cannot be read or is not valid, or a key file that cannot be
 *   written; LockyardError for a change that failed, once the report is printed
 */
export async function applyFile(
  { file, dryRun, prune }: ApplyCommand,
  { environment, ask, print, json }: ApplySurroundings,
): Promise<number> {
  const { state, env } = readWantedState(file, textOf(file), environment);
  const request = async (made?: Record<string, string>) => {
    const input = { file, state, env, prune, dryRun: !made, made };
    const answer = await ask({ verb: 'apply', input, json: true });
    return JSON.parse(answer ?? '{}') as ApplyReport;
  };
  const planned = await request();
  if (dryRun) {
    await print(json ? printableJson(planned) : reportLines(planned, true).join('\n'));
    return planned.changes.length > 0 ? DIFFERS : 0;
  }
  const files = await KeyFiles.write(file, state, planned);
  const report = await request(files.keys).catch((error: unknown) => {
    if (error instanceof LockyardError) files.removeAfter(error.reason);
    throw error;
  });
  files.removeUnused(report);
  const { secrets, failure } = report;
  const lines = secrets.map(({ kind, name, secret }) => `${kind} ${name}: ${secret}`);
  const text = json ? printableJson(report) : [...reportLines(report, false), ...lines].join('\n');
  await print(text, secrets.length > 0 ? lostSecrets(secrets) : null);
  if (failure) throw new LockyardError(failure.reason, failure.message);
  return 0;
}

function lostSecrets(secrets: readonly MadeSecret[]): string {
  const list = secrets.map(({ kind, name }) => `${kind} ${name}`).join(', ');
  return `What was generated is lost: ${list}. See: keys revoke, users reset-password`;
}

function textOf(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (cause) {
    const failure = fileFailure(file, 'read', cause);
    if (failure instanceof StartError) throw failure;
    throw new StartError(`${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
}
