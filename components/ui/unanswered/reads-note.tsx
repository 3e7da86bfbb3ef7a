'use client';

import { createPortal } from 'react-dom';
import { FloatingNote } from '../../live/connection-lost-note';
import { problemOf, readFailureTitle } from '../../live/problem';
import { ProblemNote } from '../problem-note';

/** The last result of a query that is made again and again. */
interface Read {
  data: unknown;
  /** Null: the last attempt succeeded. */
  error: unknown;
}

/** Whether earlier data of a read is shown, since no server answers. */
export const isOffline = ({ data, error }: Read): boolean =>
  Boolean(data) && Boolean(error) && problemOf(error).reason === 'OFFLINE';

/**
 * Says once for a page, at its bottom, that no server answers. It floats there, so that nothing
 * moves when it appears or disappears.
 *
 * @param reads what the page shows
 */
export function ReadsLostNote({ reads }: { reads: readonly Read[] }) {
  if (!reads.some(isOffline)) return null;
  return createPortal(
    <FloatingNote>
      <span role="alert">Connection lost. Showing the last known state. Reconnecting…</span>
    </FloatingNote>,
    // Outside of what scrolls.
    document.getElementById('main') ?? document.body,
  );
}

/** Why a part of a page was not read, unless `ReadsLostNote` says so for the whole page. */
export function ReadNote({
  read,
  what,
  more = '',
  className = 'pb-3',
}: {
  read: Read;
  what: string;
  /** The end of the title. */
  more?: string;
  className?: string;
}) {
  const { data, error } = read;
  if (!error || isOffline(read)) return null;
  return (
    <div className={className}>
      <ProblemNote problem={problemOf(error)} title={`${readFailureTitle(data, what)}${more}`} />
    </div>
  );
}
