import { randomText } from './auth/random-text';
import type { CliCommand } from './cli-command';
import { LockyardError } from './domain/errors';
import { askDatabase } from './operations/ask-database';
import { createKey } from './operations/create-key';
import { createNamespace } from './operations/create-namespace';
import { createPerson } from './operations/create-person';
import { findUserByName } from './operations/find-user';
import { noteBackup } from './operations/note-backup';
import type { ControlContext, ControlRuntime } from './operations/operation-context';
import { resetPassword } from './operations/reset-password';
import { reshardBackend } from './reshard-backend';
import { runDeletion } from './run-deletion';

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
      return (await createKey(ctx, command.input)).key;
    case 'namespaces create':
      await createNamespace(ctx, command.input);
      return null;
    case 'backends reshard':
      return reshardBackend(ctx, command.input);
    case 'names delete':
      return runDeletion(ctx, command.input);
    case 'backup':
      await noteBackup(ctx, command.input);
      return null;
    case 'users create': {
      const { password = randomText(PASSWORD_CHARS), ...person } = command.input;
      await createPerson(ctx, { ...person, password });
      return command.input.password === undefined ? password : null;
    }
    case 'users reset-password': {
      const { name, password = randomText(PASSWORD_CHARS) } = command.input;
      const user = await askDatabase(() => findUserByName(runtime.database, name));
      if (!user) throw new LockyardError('NOT_FOUND', `There is no person named "${name}".`);
      await resetPassword(ctx, { id: user.id, password });
      return command.input.password === undefined ? password : null;
    }
  }
}
