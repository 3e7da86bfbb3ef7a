import { printable, printableJson } from '../../client/command/terminal/printable';
import { randomText } from '../auth/random-text';
import type {
  ChosenNames,
  DeletionPreview,
  DeletionResult,
} from '../contract/console/deletion-inputs';
import { LockyardError } from '../contract/errors';
import { retentionLabel } from '../core/deletion/deletion';
import { deletionRequests } from '../core/deletion/deletion-requests';
import { askDatabase } from '../operations/ask-database';
import { type ActOutcome, closeIntent, openIntent } from '../operations/audit/audit-log';
import { permit } from '../operations/audit/permit';
import { examineInstallation } from '../operations/installation/examine-installation';
import { deleteNames, previewDeletion } from '../operations/namespaces/delete-names';
import type {
  ControlContext,
  ControlRuntime,
  OperationContext,
} from '../operations/operation-context';
import { ownOrigin } from '../platform/own-origin';
import { SerialQueue } from '../platform/serial-queue';
import { INTERRUPTED, runApply } from './apply/run-apply';
import type { CliAnswer, CliOutput } from './cli-answer';
import type { CliCommand } from './cli-command';
import { counted } from './counted';
import type { ProvisioningCommand } from './provisioning/provisioning-command';
import { isProvisioning, runProvisioning } from './provisioning/run-provisioning';
import { actOnHold } from './records/act-on-hold';
import { adjustNamedCounter } from './records/adjust-named-counter';
import { freezeNamedLock } from './records/freeze-named-lock';
import { reassignNamedLock } from './records/reassign-named-lock';
import { setLockCapacity } from './records/set-lock-capacity';
import { showLock } from './records/show-lock';
import { requireServer } from './require-server';
import { reshardBackend } from './reshard-backend';

/** Commands that change the configuration are serialised: each sees the changes of earlier ones. */
const queues = new WeakMap<ControlRuntime, SerialQueue>();

/**
 * Runs a command with the same operations as the console, and returns what to print: a generated
 * key or password, a list, or only a note of what was done.
 *
 * @param isAwaited false once the caller has hung up, or asks to end early: a command that is still
 *   waiting then does nothing, no further change of a file is applied, since generated secrets
 *   would be lost, and no further names are deleted
 * @throws LockyardError
 */
export async function runCliCommand(
  runtime: ControlRuntime,
  command: CliCommand,
  isAwaited: () => boolean = () => true,
): Promise<CliOutput> {
  const ctx: ControlContext = {
    runtime,
    actor: { kind: 'cli' },
    address: 'local',
    requestId: randomText(22),
  };
  const { text, data, note = null } = await answerTo(ctx, command, isAwaited);
  return command.json ? { print: printableJson(data), note: null } : { print: text, note };
}

function answerTo(
  ctx: ControlContext,
  command: CliCommand,
  isAwaited: () => boolean,
): Promise<CliAnswer> {
  const { runtime } = ctx;
  if (command.verb === 'apply' || isProvisioning(command)) {
    const queue = queues.get(runtime) ?? new SerialQueue();
    queues.set(runtime, queue);
    return queue.run(async () => {
      if (!isAwaited()) throw new LockyardError('CONFLICT', INTERRUPTED);
      return command.verb === 'apply'
        ? runApply(ctx, command.input, isAwaited)
        : runProvisioning(ctx, command);
    });
  }
  if (command.verb === 'locks show') return showLock(requireServer(ctx), command.input);
  return runOther(ctx, command, isAwaited).then((text) => ({ text, data: { message: text } }));
}

/** Runs any other command, and returns what to print. */
async function runOther(
  ctx: ControlContext,
  command: OtherCommand,
  isAwaited: () => boolean,
): Promise<string | null> {
  switch (command.verb) {
    case 'backends reshard':
      return reshardBackend(ctx, command.input);
    case 'names delete':
      return runDeletion(requireServer(ctx), command.input, isAwaited);
    case 'locks request-release':
    case 'locks block-renewals':
    case 'locks extend':
    case 'locks force-release':
      return actOnHold(requireServer(ctx), command);
    case 'locks freeze':
    case 'locks unfreeze':
      return freezeNamedLock(requireServer(ctx), command);
    case 'locks set-capacity':
      return setLockCapacity(requireServer(ctx), command.input);
    case 'locks reassign':
      return reassignNamedLock(requireServer(ctx), command.input);
    case 'counters adjust': {
      const { by: delta, ...counter } = command.input;
      return adjustNamedCounter(requireServer(ctx), { ...counter, delta });
    }
    case 'doctor':
      return JSON.stringify(await reportOfServer(requireServer(ctx)));
    case 'backup begin':
      return beginBackup(ctx, command.input);
    case 'backup end':
      await endBackup(ctx, command.input);
      return null;
  }
}

async function reportOfServer(ctx: OperationContext) {
  const { config } = ctx.runtime;
  const findings = await examineInstallation(ctx);
  return { address: config.publicUrl ?? ownOrigin(config), findings };
}

type OtherCommand = Exclude<CliCommand, ProvisioningCommand | { verb: 'apply' | 'locks show' }>;

/**
 * Records in the audit log that a backup is about to be made, since it contains the hashes of all
 * passwords and keys. Returns the intent, which `endBackup` closes.
 */
async function beginBackup(ctx: ControlContext, { file }: { file: string }): Promise<string> {
  const what = { act: 'backup.make', subject: file.slice(-80) } as const;
  return openIntent(ctx, await permit(ctx, 'admin', what), what);
}

async function endBackup(
  { runtime }: ControlContext,
  { intent, failure }: { intent: string; failure?: string | undefined },
): Promise<void> {
  const outcome: ActOutcome =
    failure === undefined
      ? { outcome: 'done', result: {} }
      : { outcome: 'failed', result: { message: failure } };
  await askDatabase(() => closeIntent(runtime, intent, outcome));
}

/** Which names; and, to delete them, the maximum number and the reason. */
type DeletionCommand = ChosenNames & { atMost?: number | undefined; reason?: string | undefined };

/**
 * Deletes names, in several requests, until the requested number is deleted or no more can be
 * deleted. Returns what to print: one line for each name, why fewer with a prefix were deleted, and
 * their number. Without a count, shows what would be deleted.
 *
 * @throws LockyardError; `UNKNOWN`, with the number deleted, if a request failed after others;
 *   `CONFLICT`, with the number deleted, if it was interrupted
 */
async function runDeletion(
  ctx: OperationContext,
  asked: DeletionCommand,
  isAwaited: () => boolean,
): Promise<string> {
  const { atMost, reason, ...chosen } = asked;
  if (atMost === undefined || reason === undefined) {
    return previewLines(chosen.kind, await previewDeletion(ctx, chosen)).join('\n');
  }
  const lines: string[] = [];
  let deleted = 0;
  const interrupted = new LockyardError('CONFLICT', INTERRUPTED);
  const request = async (left: ChosenNames, most: number) => {
    if (!isAwaited()) throw interrupted;
    return deleteNames(ctx, { ...left, atMost: most, reason });
  };
  try {
    for await (const answer of deletionRequests(chosen, atMost, request)) {
      deleted += answer.deleted;
      lines.push(...answer.results.map((result) => resultLine(chosen.kind, result)));
    }
  } catch (cause) {
    if (deleted === 0 || !(cause instanceof LockyardError)) throw cause;
    const known = cause === interrupted ? 'CONFLICT' : 'UNKNOWN';
    throw new LockyardError(known, `${deleted} deleted, then: ${cause.message}`, { cause });
  }
  if (deleted < atMost && chosen.prefix !== undefined) {
    const linesOf = deleted === 0 ? previewLines : keptLines;
    const left = await previewDeletion(ctx, chosen).catch(() => null);
    if (left) lines.push(...linesOf(chosen.kind, left));
  }
  return [...lines, `${deleted} deleted.`].join('\n');
}

function previewLines(kind: ChosenNames['kind'], preview: DeletionPreview): string[] {
  const { matching, going, examples } = preview;
  return [
    `${counted(matching, kind)} ${matching === 1 ? 'matches' : 'match'}; ${going} can be deleted.`,
    ...(going > 0 ? [`can be deleted: ${listed(examples, going)}`] : []),
    ...keptLines(kind, preview),
  ];
}

function keptLines(kind: ChosenNames['kind'], { kept }: DeletionPreview): string[] {
  return kept.map(
    ({ because, count, examples: some }) =>
      `${count} kept, ${retentionLabel(because, kind)}: ${listed(some, count)}`,
  );
}

const listed = (some: string[], all: number) =>
  `${some.map(printable).join(', ')}${all > some.length ? ', …' : ''}`;

function resultLine(kind: ChosenNames['kind'], result: DeletionResult): string {
  const outcome =
    result.outcome === 'kept' ? `kept, ${retentionLabel(result.because, kind)}` : result.outcome;
  return `${outcome}: ${printable(result.name)}`;
}
