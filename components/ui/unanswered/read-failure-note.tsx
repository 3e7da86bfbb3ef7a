'use client';

import { useEffect, useState } from 'react';
import { problemOf, readFailureTitle } from '../../live/problem';
import { useIsStale, useReadingStore } from '../../live/reading';
import { STALE_AFTER_MS } from '../../live/reading-store';
import { ProblemNote } from '../problem-note';

/**
 * Says that a part of a page could not be read. While the whole page has lost its server and the
 * part still shows its last data, the page says so once, and its parts do not.
 */
export function ReadFailureNote({
  error,
  shown,
  what,
  className = 'p-3.5 pb-0',
}: {
  /** Null: the last read succeeded. */
  error: unknown;
  /** Older data that is shown nevertheless; undefined: nothing. */
  shown: unknown;
  what: string;
  className?: string;
}) {
  const isFollowed = useReadingStore().get().receivedAt !== null;
  const isStale = useIsStale();
  const [isAlone, setAlone] = useState(false);
  const problem = error ? problemOf(error) : null;
  const isSilent = problem?.reason === 'OFFLINE' && Boolean(shown) && isFollowed;
  const mayBeAlone = isSilent && !isStale;
  useEffect(() => {
    if (!mayBeAlone) return;
    // The page itself notices after this time that no server answers.
    const timer = setTimeout(() => setAlone(true), STALE_AFTER_MS);
    return () => {
      clearTimeout(timer);
      setAlone(false);
    };
  }, [mayBeAlone]);
  if (problem === null || (isSilent && !(mayBeAlone && isAlone))) return null;
  return (
    <div className={className}>
      <ProblemNote problem={problem} title={readFailureTitle(shown, what)} />
    </div>
  );
}
