'use client';

import { useEffect, useState } from 'react';
import { spokenDuration } from '@/server/core/format/durations';
import { Icon } from '../../icons/icon';

export const CLOSABLE = 'You can close this: the outcome is shown when the response comes.';
export const REPEATABLE = `Trying again is safe: it will not run twice. ${CLOSABLE}`;

export const STOPPABLE =
  'Closing this sends no further requests; the outcome of those that were sent is shown later.';

const TEXT = 'The action may or may not take effect.';

/**
 * In a dialog whose action has no answer: for how long, and what to do.
 *
 * @param since by this page's monotonic clock; null: shows nothing
 * @param advice what the user can do
 */
export function SilenceNote({ since, advice }: { since: number | null; advice: string }) {
  return (
    <>
      {/* Rendered before its text, and without the time, which would be read out every second. */}
      <p aria-live="polite" className="sr-only">
        {since !== null && `No response from the server. ${TEXT} ${advice}`}
      </p>
      {since !== null && (
        <div
          aria-hidden="true"
          className="rise-in mt-4 [form_&]:mt-0 flex gap-2.5 rounded-10 border border-unknown border-dashed px-3.5 py-2.5"
        >
          <Icon name="question" size={16} className="mt-0.5 shrink-0 text-unknown" />
          <div className="min-w-0">
            <p className="font-[620]">
              No response from the server for <Elapsed since={since} />.
            </p>
            <p className="text-t2">
              {TEXT} {advice}
            </p>
          </div>
        </div>
      )}
    </>
  );
}

function Elapsed({ since }: { since: number }) {
  const [, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTick((tick) => tick + 1), 1_000);
    return () => clearInterval(timer);
  }, []);
  return spokenDuration(Math.floor((performance.now() - since) / 1_000) * 1_000);
}
