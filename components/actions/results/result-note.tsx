'use client';

import { useRef } from 'react';
import type { LockRow } from '@/server/contract/console/lock-row';
import { Icon } from '../../icons/icon';
import { useAtBackend } from '../../live/reading';
import { resultMessage, useWatchedResult } from '../action-results';

/**
 * The result of the last action on a lock, updated for 30 s. It floats at the bottom of the page,
 * so that nothing moves when it appears, changes or disappears.
 */
export function ResultNote({ row }: { row: LockRow }) {
  const result = useWatchedResult(row);
  const message = useAtBackend(row, (now) =>
    result ? resultMessage(result, row.waiters, now) : null,
  );
  const spoken = useSpoken(result ? `${result.id} ${result.effect?.kind}` : null, message);
  return (
    <div className="relative z-30 h-0">
      {/* Rendered before its text: a status that appears with its text is often not read out. */}
      <p role="status" className="sr-only">
        {spoken}
      </p>
      {result && <Note isFailure={result.kind === 'notSaved'} message={message} />}
    </div>
  );
}

function Note({ isFailure, message }: { isFailure: boolean; message: string | null }) {
  return (
    <p
      aria-hidden="true"
      className="rise-in absolute right-[var(--gutter)] bottom-3 flex max-w-[min(640px,calc(100%-2*var(--gutter)))] items-start gap-2.5 rounded-10 border border-current bg-s1 px-3.5 py-2.5 text-acc shadow-lg data-[failed=true]:text-dangertext"
      data-failed={isFailure}
    >
      <Icon name={isFailure ? 'close' : 'check'} size={16} className="mt-0.5" />
      <span className="[overflow-wrap:anywhere]">{message}</span>
    </p>
  );
}

/** The message as it was when `about` last changed: countdowns in it are not read out. */
function useSpoken(about: string | null, message: string | null): string | null {
  const spoken = useRef({ about, message });
  if (spoken.current.about !== about) spoken.current = { about, message };
  return spoken.current.message;
}
