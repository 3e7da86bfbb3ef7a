import { LockyardError } from '../contract/errors';
import type { ControlContext, OperationContext } from '../operations/operation-context';

/** @throws LockyardError `BACKEND_DOWN` if no server runs: only a server knows what is in use */
export function requireServer(ctx: ControlContext): OperationContext {
  if (isServing(ctx)) return ctx;
  throw new LockyardError('BACKEND_DOWN', 'No server is running on this data folder; start one.');
}

function isServing(ctx: ControlContext): ctx is OperationContext {
  return 'nameDeletion' in ctx.runtime;
}
