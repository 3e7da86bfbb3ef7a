import { notFound } from 'next/navigation';

/** For what a page is about: where that does not exist there is no page; everything else is an error. */
export function notFoundOr(error: unknown): never {
  if (error instanceof Error && reasonOf(error.cause) === 'NOT_FOUND') notFound();
  throw error;
}

/** The caller within this process wraps the refusals of operations. */
function reasonOf(cause: unknown): unknown {
  return typeof cause === 'object' && cause !== null && 'reason' in cause ? cause.reason : null;
}
