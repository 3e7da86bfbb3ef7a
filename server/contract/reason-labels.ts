import type { Reason } from './errors';

/** What each reason means to a caller of the service API. */
export const REASON_LABELS: Record<Reason, string> = {
  INVALID:
    'The input is wrong, or the policy of its namespace forbids it; the message says where. Also a `requestId` that was used before with another input.',
  UNAUTHENTICATED: 'No API key, or one that is unknown or revoked.',
  FORBIDDEN: 'The key does not reach this namespace, or the hold belongs to another service.',
  NOT_FOUND: 'There is no such procedure, namespace or counter.',
  CONFLICT: 'What was to be changed does not allow it as it is now.',
  TOO_LARGE:
    'A body over 256 KB, an address and headers over 64 KB, or more than a backend keeps of one lock.',
  RATE_LIMITED: 'Too many requests; `retryAfterMs` says when to come back.',
  NAMESPACE_FULL:
    'There is no room for a new lock or counter: the namespace has as many as its policy allows, or the server is short of memory; the message says which. Those that exist go on. Nothing was applied.',
  CONTENDED: 'Others changed the lock too often meanwhile; nothing was applied. Ask again.',
  UNSUPPORTED: 'This server does not offer it.',
  BACKEND_DOWN:
    'The database does not answer, or is not set up safely; the message says which. Known not to be applied; safe to repeat.',
  UNKNOWN:
    'The database did not answer in time. It may have been applied: repeat with the same `requestId`.',
  INTERNAL: 'A fault of the server; its log knows more. It may have been applied.',
};
