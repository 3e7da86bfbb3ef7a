import { TRPCClientError } from '@trpc/client';
import { notFound } from 'next/navigation';
import type { Reason } from '@/server/contract/errors';

/**
 * For what a page is about: where that does not exist there is no page; everything else is an
 * error.
 */
export function notFoundOr(error: unknown): never {
  if (error instanceof TRPCClientError && reasonOf(error.data) === 'NOT_FOUND') notFound();
  throw error;
}

const reasonOf = (data: { reason?: Reason } | undefined) => data?.reason;
