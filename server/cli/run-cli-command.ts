import { printable } from '../../client/command/terminal/printable';
import { randomText } from '../auth/random-text';
import type {
  ChosenNames,
  DeletionPreview,
  DeletionResult,
} from '../contract/console/deletion-inputs';
import { LockyardError } from '../contract/errors';
import { deletionRequests } from '../core/names/deletion-requests';
import { createApiKey } from '../operations/api-keys/create-api-key';
import { askDatabase } from '../operations/ask-database';
import { closeIntent, openIntent } from '../operations/audit/audit-log';
import { permit } from '../operations/audit/permit';
import { createNamespace } from '../operations/namespaces/create-namespace';
import { deleteNames, previewDeletion } from '../operations/namespaces/delete-names';
import type {
  ControlContext,
  ControlRuntime,
  OperationContext,
} from '../operations/operation-context';
import { createUser } from '../operations/users/create-user';
import { findUserByName } from '../operations/users/find-user';
import { resetPassword } from '../operations/users/reset-password';
import { adjustNamedCounter } from './adjust-named-counter';
import type { CliCommand } from './cli-command';
import { counted } from './counted';
import { reassignNamedLock } from './reassign-named-lock';
import { reshardBackend } from './reshard-backend';
import { setLockCapacity } from './set-lock-capacity';

/** 119 bits. */
const PASSWORD_CHARS = 20;

/**
 * Does what the command line asked for, by the same operations as the console, and returns what to
 * print: a key or a password that was made, else nothing. Throws `LockyardError`.
 */
export async function runCliCommand(
  runtime: ControlRuntime,
  command: CliCommand,
): Promise<string | null> {
  const ctx: ControlContext = {
    runtime,
    actor: { kind: 'cli' },
    address: 'local',
    requestId: randomText(22),
  };
  switch (command.verb) {
    case 'keys create':
      return (await createApiKey(ctx, command.input)).key;
    case 'namespaces create':
      await createNamespace(ctx, command.input);
      return null;
    case 'backends reshard':
      return reshardBackend(ctx, command.input);
    case 'names delete':
      return runDeletion(requireServer(ctx), command.input);
    case 'locks set-capacity':
      return setLockCapacity(requireServer(ctx), command.input);
    case 'locks reassign':
      return reassignNamedLock(requireServer(ctx), command.input);
    case 'counters adjust': {
      const { by: delta, ...counter } = command.input;
      return adjustNamedCounter(requireServer(ctx), { ...counter, delta });
    }
    case 'backup begin':
      return beginBackup(ctx, command.input);
    case 'backup end':
      await endBackup(ctx, command.input);
      return null;
    case 'users create': {
      const { password = randomText(PASSWORD_CHARS), ...person } = command.input;
      await createUser(ctx, { ...person, password });
      return command.input.password === undefined ? password : null;
    }
    case 'users reset-password': {
      const { name, password = randomText(PASSWORD_CHARS) } = command.input;
      const user = await askDatabase(() => findUserByName(runtime.database, name));
      if (!user) throw new LockyardError('NOT_FOUND', `There is no user "${name}".`);
      await resetPassword(ctx, { id: user.id, password });
      return command.input.password === undefined ? password : null;
    }
  }
}

/**
 * Records in the audit log that a backup is about to be made: a backup has the hashes of every
 * password and key. Returns the intent, to be ended by `endBackup`.
 */
async function beginBackup(ctx: ControlContext, { file }: { file: string }): Promise<string> {
  const what = { act: 'backup.make', subject: file.slice(-80) } as const;
  return openIntent(ctx, await permit(ctx, 'admin', what), what);
}

async function endBackup(
  { runtime }: ControlContext,
  { intent, failure }: { intent: string; failure?: string | undefined },
): Promise<void> {
  const { db } = runtime.database;
  const [outcome, result] =
    failure === undefined ? (['done', {}] as const) : (['failed', { message: failure }] as const);
  await askDatabase(() => closeIntent(runtime, db, intent, outcome, result));
}

/** Which names, and, where they are to be deleted, how many at most and why. */
type DeletionCommand = ChosenNames & { atMost?: number | undefined; reason?: string | undefined };

/**
 * Deletes names, request after request, until the requested number is gone or no more can be
 * deleted. Returns what to print: one line a name, then their number. Without a count, shows what
 * would be deleted.
 */
async function runDeletion(ctx: OperationContext, asked: DeletionCommand): Promise<string> {
  const { atMost, reason, ...chosen } = asked;
  if (atMost === undefined || reason === undefined) {
    return previewLines(chosen.kind, await previewDeletion(ctx, chosen)).join('\n');
  }
  const lines: string[] = [];
  let deleted = 0;
  const request = (left: ChosenNames, most: number) =>
    deleteNames(ctx, { ...left, atMost: most, reason });
  for await (const answer of deletionRequests(chosen, atMost, request)) {
    deleted += answer.deleted;
    lines.push(...answer.results.map(resultLine));
  }
  return [...lines, `${deleted} deleted.`].join('\n');
}

/** @throws LockyardError `BACKEND_DOWN` where no server runs: only that knows what is in use */
function requireServer(ctx: ControlContext): OperationContext {
  if (isServing(ctx)) return ctx;
  throw new LockyardError('BACKEND_DOWN', 'No server is running on this data folder; start one.');
}

function isServing(ctx: ControlContext): ctx is OperationContext {
  return 'nameDeletion' in ctx.runtime;
}

function previewLines(
  kind: ChosenNames['kind'],
  { matching, going, examples, kept }: DeletionPreview,
): string[] {
  return [
    `${counted(matching, kind)} ${matching === 1 ? 'matches' : 'match'}; ${going} can be deleted.`,
    ...(going > 0 ? [`can be deleted: ${listed(examples, going)}`] : []),
    ...kept.map(
      ({ because, count, examples: some }) => `kept, ${because}, ${count}: ${listed(some, count)}`,
    ),
  ];
}

const listed = (some: string[], all: number) =>
  `${some.map(printable).join(', ')}${all > some.length ? ', …' : ''}`;

function resultLine(result: DeletionResult): string {
  const fate = result.outcome === 'kept' ? `kept, ${result.because}` : result.outcome;
  return `${fate}: ${printable(result.name)}`;
}
