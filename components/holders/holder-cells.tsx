'use client';

import type { ProcessRow } from '@/server/contract/console/waits/holder-rows';
import { wholeSeconds } from '@/server/core/format/durations';
import { plural } from '@/server/core/format/numbers';
import { useAtBackend, useBlockingSeconds } from '../live/reading';
import { Duration } from '../ui/duration';

/** How many callers a process blocks, and for how long in total. */
export function Blocking({
  row: { blocked, blockingMs },
}: {
  row: Pick<ProcessRow, 'blocked' | 'blockingMs'>;
}) {
  const seconds = useBlockingSeconds(blockingMs, blocked);
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
        <Duration ms={seconds * 1_000} />
      </span>{' '}
      <span className="holder-callers text-12 text-t3">{plural(blocked, 'caller')}</span>
    </>
  );
}

/** How old a hold is, or was when its backend last responded. */
export function OldestHold({ hold }: { hold: ProcessRow['oldest'] }) {
  const now = useAtBackend('', (at) => wholeSeconds(at));
  if (hold === null) return <span className="text-t3">–</span>;
  const { grantedAt, knownUntil } = hold;
  const ageMs = wholeSeconds(Math.max(0, (knownUntil ?? now) - grantedAt));
  return <Duration ms={ageMs} atLeast={knownUntil !== null} />;
}
