import type { Reason } from './errors';

/** What each reason means to a caller of the service API. */
export const REASON_LABELS: Record<Reason, string> = {
  INVALID:
    'The input is wrong, or the policy of its namespace forbids it; the message says where. Also a `requestId` that was used before with another input.',
  UNAUTHENTICATED: 'No API key, or one that is unknown or revoked.',
  FORBIDDEN: 'The key is not valid for this namespace, or the hold belongs to another service.',
  NOT_FOUND: 'There is no such procedure, namespace or counter.',
  CONFLICT: 'The present state of the lock or counter does not allow it.',
  TOO_LARGE:
    'A body over 256 KB, an address and headers over 64 KB, or more than a backend can store of one lock.',
  RATE_LIMITED: 'Too many requests; `retryAfterMs` says when to try again.',
  NAMESPACE_FULL:
    'There is no room for a new lock or counter: the namespace has as many as its policy allows, or the server is short of memory; the message says which. Existing ones keep working. Nothing was applied.',
  CONTENDED: 'Other callers changed the lock too often meanwhile; nothing was applied. Try again.',
  UNSUPPORTED: 'This server does not support it.',
  BACKEND_DOWN:
    'The backend does not respond, or is not configured safely; the message says which. Definitely not applied; safe to repeat.',
  UNKNOWN:
    'The backend did not respond in time. The call may have been applied: repeat it with the same `requestId`.',
  INTERNAL: 'A fault of the server; its log has the details. The call may have been applied.',
};
