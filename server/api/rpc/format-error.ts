import type { TRPCError } from '@trpc/server';
import { type CallType, type ErrorShape, errorShape, refusalOf } from './refusal';

/**
 * What every failed call of either API looks like. tRPC's own shape is not used: in development it
 * holds a stack.
 */
export function formatError({
  error,
  type,
  path,
  ctx,
}: {
  error: TRPCError;
  type: CallType;
  path: string | undefined;
  ctx: { requestId: string } | undefined;
}): ErrorShape {
  return errorShape(refusalOf(error, type), { path, requestId: ctx?.requestId });
}
