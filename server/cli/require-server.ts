import { LockyardError } from '../contract/errors';
import type { ControlContext, OperationContext } from '../operations/operation-context';

/** @throws LockyardError `BACKEND_DOWN` if no server runs: only a server knows what is in use */
export function requireServer(ctx: ControlContext): OperationContext {
  if (isServing(ctx)) return ctx;
  const { dataDir } = ctx.runtime.config;
  throw new LockyardError(
    'BACKEND_DOWN',
    `No server is running on the data folder ${dataDir}. Start one, or name its folder in ` +
      'LOCKYARD_DATA_DIR.',
  );
}

function isServing(ctx: ControlContext): ctx is OperationContext {
  return 'nameDeletion' in ctx.runtime;
}
