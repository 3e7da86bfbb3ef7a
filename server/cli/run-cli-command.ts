import { randomText } from '../auth/random-text';
import { LockyardError } from '../contract/errors';
import { createApiKey } from '../operations/api-keys/create-api-key';
import { askDatabase } from '../operations/ask-database';
import { auditedChange } from '../operations/audit/audited-change';
import { permit } from '../operations/audit/permit';
import { createNamespace } from '../operations/namespaces/create-namespace';
import type { ControlContext, ControlRuntime } from '../operations/operation-context';
import { createUser } from '../operations/users/create-user';
import { findUserByName } from '../operations/users/find-user';
import { resetPassword } from '../operations/users/reset-password';
import type { CliCommand } from './cli-command';
import { reshardBackend } from './reshard-backend';
import { runDeletion } from './run-delete-command';

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
      return runDeletion(ctx, command.input);
    case 'backup':
      await auditBackup(ctx, command.input);
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
 * password and key.
 */
async function auditBackup(ctx: ControlContext, { file }: { file: string }): Promise<void> {
  const what = { act: 'backup.make', subject: file.slice(-80) } as const;
  const who = await permit(ctx, 'admin', what);
  await auditedChange(ctx, who, what, async () => ({ answer: undefined }));
}
