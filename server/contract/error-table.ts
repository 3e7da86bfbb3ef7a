import type { TRPC_ERROR_CODE_KEY } from '@trpc/server/rpc';
import type { Reason } from './errors';

/** The tRPC code of each reason, and the HTTP status that is promised to callers. */
export const ERROR_TABLE = {
  INVALID: { code: 'BAD_REQUEST', httpStatus: 400 },
  UNAUTHENTICATED: { code: 'UNAUTHORIZED', httpStatus: 401 },
  FORBIDDEN: { code: 'FORBIDDEN', httpStatus: 403 },
  NOT_FOUND: { code: 'NOT_FOUND', httpStatus: 404 },
  CONFLICT: { code: 'CONFLICT', httpStatus: 409 },
  TOO_LARGE: { code: 'PAYLOAD_TOO_LARGE', httpStatus: 413 },
  RATE_LIMITED: { code: 'TOO_MANY_REQUESTS', httpStatus: 429 },
  NAMESPACE_FULL: { code: 'TOO_MANY_REQUESTS', httpStatus: 429 },
  CONTENDED: { code: 'TOO_MANY_REQUESTS', httpStatus: 429 },
  UNSUPPORTED: { code: 'NOT_IMPLEMENTED', httpStatus: 501 },
  BACKEND_DOWN: { code: 'SERVICE_UNAVAILABLE', httpStatus: 503 },
  UNKNOWN: { code: 'GATEWAY_TIMEOUT', httpStatus: 504 },
  INTERNAL: { code: 'INTERNAL_SERVER_ERROR', httpStatus: 500 },
} as const satisfies Record<Reason, { code: TRPC_ERROR_CODE_KEY; httpStatus: number }>;

const WRONG_METHOD = { code: 'METHOD_NOT_SUPPORTED', httpStatus: 405 } as const;

/** The code and status of a refusal: 405 if it has `allow`, otherwise those of its reason. */
export function statusOf({ reason, allow }: { reason: Reason; allow?: string | undefined }) {
  return allow === undefined ? ERROR_TABLE[reason] : WRONG_METHOD;
}

/** The default wait that 429 and 503 suggest. */
const RETRY_AFTER_MS = 1_000;

/** The wait to suggest with a refusal, in milliseconds: always on 429 and 503, never on others. */
export function retryAfterOf(reason: Reason, retryAfterMs?: number): number | undefined {
  const { httpStatus } = ERROR_TABLE[reason];
  if (httpStatus !== 429 && httpStatus !== 503) return undefined;
  return Math.max(1, Math.ceil(retryAfterMs ?? RETRY_AFTER_MS));
}

/** The reason for an error of tRPC's own, such as an unknown procedure or bad JSON. */
export function reasonOfCode(code: TRPC_ERROR_CODE_KEY): Reason {
  switch (code) {
    case 'PARSE_ERROR':
    case 'BAD_REQUEST':
    case 'METHOD_NOT_SUPPORTED':
    case 'UNSUPPORTED_MEDIA_TYPE':
      return 'INVALID';
    case 'UNAUTHORIZED':
      return 'UNAUTHENTICATED';
    case 'PAYLOAD_TOO_LARGE':
      return 'TOO_LARGE';
    case 'FORBIDDEN':
    case 'NOT_FOUND':
      return code;
    default:
      return 'INTERNAL';
  }
}
