import type { TRPCError } from '@trpc/server';
import type { Log } from '../../../platform/log';
import { type CallType, refusalOf } from '../../rpc/refusal';

/** Logs an unexpected failure, about which the caller learns only that it happened. */
export function logFailedCall(
  log: Log,
  error: TRPCError,
  { path, type, requestId }: { path: string | undefined; type: CallType; requestId: string },
): void {
  if (refusalOf(error, type).reason !== 'INTERNAL') return;
  log.error({ err: error.cause ?? error, requestId, procedure: path }, 'A call failed');
}
