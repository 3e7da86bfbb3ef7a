import type { CliCommand } from '../cli-command';
import { parseCommand } from '../parse-command';

/** The command that these arguments ask for, which needs no other input. */
export async function parseArguments(args: string[]): Promise<CliCommand> {
  const never = () => {
    throw new Error('This command needs no other input.');
  };
  return (await parseCommand(args, { readPassword: never, readConfig: never })) as CliCommand;
}
