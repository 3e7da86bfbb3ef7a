import { runCliCommand } from '../run-cli-command';

/** What a command prints on standard output; null: nothing. */
export const printOf = async (...command: Parameters<typeof runCliCommand>) =>
  (await runCliCommand(...command)).print;
