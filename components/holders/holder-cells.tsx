'use client';

import type { ProcessRow } from '@/server/contract/console/waits/holder-rows';
import { plural } from '@/server/core/format/numbers';
import { displayedMs } from '../format/durations';
import { useAtBackend, useBlockingMs } from '../live/reading';
import { Duration } from '../ui/duration';

/** How many callers a process blocks, and for how long in total. */
export function Blocking({
  row: { blocked, blockingMs },
}: {
  row: Pick<ProcessRow, 'blocked' | 'blockingMs'>;
}) {
  const ms = useBlockingMs(blockingMs, blocked);
  if (blocked === 0) {
    return (
      <span className="text-t3 max-md:hidden">
        0<span className="holder-callers" />
      </span>
    );
  }
  return (
    <>
      <span className="text-12 text-t3 md:hidden">blocks for </span>
      <span className="font-[600]">
        <Duration ms={ms} />
      </span>{' '}
      <span className="holder-callers text-12 text-t3">{plural(blocked, 'caller')}</span>
    </>
  );
}

/** How old a hold is, or was when its backend last responded. */
export function OldestHold({ hold }: { hold: ProcessRow['oldest'] }) {
  const ageMs = useAtBackend(null, (now) =>
    hold === null ? 0 : displayedMs((hold.knownUntil ?? now) - hold.grantedAt),
  );
  if (hold === null) return <span className="text-t3">–</span>;
  return <Duration ms={ageMs} atLeast={hold.knownUntil !== null} />;
}

/** The version of a process in at most three lines; whole on hover. */
export function Version({ text }: { text: string }) {
  return (
    <span className="line-clamp-3 [overflow-wrap:anywhere]" title={text}>
      {text}
    </span>
  );
}
