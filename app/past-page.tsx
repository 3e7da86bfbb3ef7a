import { TRPCClientError } from '@trpc/client';
import type { ReactNode } from 'react';
import { pastHref, readPastAt } from '@/components/past/past-address';
import { PastMinuteView } from '@/components/past/past-minute-view';
import { type InstantProblem, PastProblem } from '@/components/past/past-note';
import type { Reason } from '@/server/contract/errors';
import { notFoundOr, openConsole, readOrNull } from './console-api';

const UNREADABLE = (
  <>
    The time in this address cannot be read. After “at=”, give milliseconds since 1970, or a date
    with its time zone, such as <span className="whitespace-nowrap">2026-11-21T02:41:07Z</span>.
  </>
);

/**
 * A page as of the instant in its address; null if there is none, so that the page shows the
 * present. An instant that cannot be shown gets a page that says why; a subject that does not exist
 * gets a 404.
 *
 * @param path of the page, for the link back
 */
export async function pastPage(
  params: URLSearchParams,
  path: string,
  show: (at: number) => Promise<ReactNode>,
): Promise<ReactNode | null> {
  const at = readPastAt(params.get('at'));
  if (at === null) return null;
  const live = pastHref(`${path}?${params.toString()}`, null);
  if (at === 'unreadable') return <PastProblem why={UNREADABLE} live={live} />;
  try {
    return await show(Math.round(at));
  } catch (error) {
    const problem = instantProblem(error);
    if (problem === null) return notFoundOr(error);
    const { api } = await openConsole();
    const minute = await readOrNull(api.past.minute.query({ at: Math.round(at) }));
    if (minute) return <PastMinuteView minute={minute} />;
    return <PastProblem {...problem} live={live} />;
  }
}

/** What the server says about the instant; null for any other failure. */
function instantProblem(error: unknown): InstantProblem | null {
  if (!(error instanceof TRPCClientError)) return null;
  const data = (error.data ?? {}) as { reason?: Reason; recordedSince?: number };
  const { reason, recordedSince } = data;
  if (recordedSince !== undefined) return { since: recordedSince };
  const isOfInstant = error.message.startsWith('at: ');
  if (!isOfInstant || (reason !== 'INVALID' && reason !== 'NOT_FOUND')) return null;
  return { why: `This instant ${error.message.slice('at: '.length)}` };
}
