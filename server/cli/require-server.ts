import { LockyardError } from '../contract/errors';
import type { ControlContext, OperationContext } from '../operations/operation-context';
import type { CliCommand } from './cli-command';

/** The commands of `requireServer`. */
const NEEDS_SERVER =
  /^(locks|counters) |^(names delete|namespaces remove|silences (create|remove)|backends list|doctor)$/;

/** @throws LockyardError `BACKEND_DOWN` if no server runs: only a server knows what is in use */
export function requireServer(ctx: ControlContext): OperationContext {
  if (isServing(ctx)) return ctx;
  throw noServer(ctx.runtime.config.dataDir);
}

/**
 * For a command that finds no server on its data folder, before it opens, creates or migrates the
 * database itself.
 *
 * @throws LockyardError as `requireServer`, which would refuse the command in the end
 */
export function refuseWithoutServer({ verb }: CliCommand, dataDir: string): void {
  if (NEEDS_SERVER.test(verb)) throw noServer(dataDir);
}

const noServer = (dataDir: string) =>
  new LockyardError(
    'BACKEND_DOWN',
    `No server is running on the data folder ${dataDir}. Start one, or name its folder in ` +
      'LOCKYARD_DATA_DIR.',
  );

function isServing(ctx: ControlContext): ctx is OperationContext {
  return 'nameDeletion' in ctx.runtime;
}
