import type { TRPCError } from '@trpc/server';
import { type TRPC_ERROR_CODE_KEY, TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';
import { reasonOfCode, retryAfterOf, statusOf } from '../../contract/error-table';
import { LockyardError, type Reason } from '../../contract/errors';
import type { KeyDetail } from '../../contract/key-limits';
import { databaseRefusal } from '../../operations/ask-database';

/** Why a call failed, with a message that its caller may read. */
export interface Refusal {
  reason: Reason;
  message: string;
  retryAfterMs?: number | undefined;
  /** The methods that an address supports, if the request used another one. */
  allow?: string | undefined;
  /** The lock's current capacity, if an acquire in mode permit does not fit it. */
  capacity?: number | undefined;
  /** What is wrong with the API key. */
  detail?: KeyDetail | undefined;
  /** The longest wait that the namespace allows, if an acquire asked for more. */
  waitMaxMs?: number | undefined;
}

/** A failed call as both APIs answer it: tRPC's shape, with the reason. */
export interface ErrorShape {
  message: string;
  /** JSON-RPC's number for `data.code`. */
  code: number;
  data: {
    code: TRPC_ERROR_CODE_KEY;
    httpStatus: number;
    reason: Reason;
    path?: string;
    retryAfterMs?: number;
    capacity?: number;
    detail?: KeyDetail;
    waitMaxMs?: number;
    requestId?: string;
  };
}

export function errorShape(
  refusal: Refusal,
  where: { path?: string | undefined; requestId?: string | undefined },
): ErrorShape {
  const { reason, message, retryAfterMs, capacity, detail, waitMaxMs } = refusal;
  const { code, httpStatus } = statusOf(refusal);
  const waitMs = retryAfterOf(reason, retryAfterMs);
  return {
    message,
    code: TRPC_ERROR_CODES_BY_KEY[code],
    data: {
      code,
      httpStatus,
      reason,
      ...(where.path === undefined ? {} : { path: where.path }),
      ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
      ...(capacity === undefined ? {} : { capacity }),
      ...(detail === undefined ? {} : { detail }),
      ...(waitMaxMs === undefined ? {} : { waitMaxMs }),
      ...(where.requestId === undefined ? {} : { requestId: where.requestId }),
    },
  };
}

/** The kind of call that failed, in tRPC's terms. */
export type CallType = 'query' | 'mutation' | 'subscription' | 'unknown';

/** What the caller receives about an error: no details of an unexpected one, which is logged. */
export function refusalOf(error: TRPCError, type: CallType): Refusal {
  const { cause } = error;
  if (isLockyardError(cause)) {
    const { reason, message, retryAfterMs, capacity, detail, waitMaxMs } = cause;
    return { reason, message, retryAfterMs, capacity, detail, waitMaxMs };
  }
  if (cause instanceof SyntaxError && error.code === 'BAD_REQUEST') {
    return { reason: 'INVALID', message: 'The input is not well-formed JSON.' };
  }
  if (error.code === 'BAD_REQUEST') return { reason: 'INVALID', message: NO_BATCH_INPUT };
  const reason = reasonOfCode(error.code);
  if (reason === 'INTERNAL') {
    return databaseRefusal(cause, type) ?? { reason, message: INTERNAL_MESSAGE };
  }
  return { reason, message: error.message };
}

/** The only input that tRPC itself refuses in this way; all others are refused before. */
const NO_BATCH_INPUT =
  'The input of a batch must be an object, with the input of each call by its number: {"0": …}.';

export const INTERNAL_MESSAGE = 'Something went wrong on our side. See the server log.';

/** Checked by name, because pages are bundled apart from the server and have another class. */
function isLockyardError(cause: unknown): cause is LockyardError {
  return (
    cause instanceof LockyardError || (cause instanceof Error && cause.name === 'LockyardError')
  );
}

interface FailedCall {
  error: TRPCError;
  type: CallType;
  path: string | undefined;
  ctx: { requestId: string } | undefined;
}

/** The shape of every failed call of either API. tRPC's own includes a stack in development. */
export function formatError({ error, type, path, ctx }: FailedCall): ErrorShape {
  return errorShape(refusalOf(error, type), { path, requestId: ctx?.requestId });
}

/** The same for the console, whose pages also use `recordedSince` of a `LockyardError`. */
export function formatConsoleError(call: FailedCall) {
  const { data, ...shape } = formatError(call);
  const { cause } = call.error;
  const recordedSince = isLockyardError(cause) ? cause.recordedSince : undefined;
  return { ...shape, data: { ...data, ...(recordedSince === undefined ? {} : { recordedSince }) } };
}
