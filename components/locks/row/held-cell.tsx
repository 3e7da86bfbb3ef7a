'use client';

import type { LockRow } from '@/server/contract/console/lock-row';
import { baselineText, factorText } from '../../format/baseline';
import { exactCount } from '../../format/counts';
import { durationText } from '../../format/durations';
import { useAtBackend, useIsStale } from '../../live/reading';
import { Duration } from '../../ui/duration';
import { GridCell } from '../../ui/grid-cell';
import { heldMsOf } from '../held-time';
import { displayedMs } from './displayed-ms';
import { RangeBar } from './range-bar';

/** How long the lock has been held, or was, beside its typical hold time. */
export function HeldCell({ row }: { row: LockRow }) {
  const title = useAtBackend(row.backend, (now, _, lastAnswerAt) =>
    typicalHoldTitle(row, heldMsOf(row, now, lastAnswerAt)),
  );
  return (
    <GridCell name="held" {...(title !== null && { title })}>
      <HeldFor row={row} />
      <RangeBar row={row} />
      <P99Hold row={row} />
    </GridCell>
  );
}

/** A lower bound while the backend does not respond. Bold beyond the lock's own p99. */
function HeldFor({ row }: { row: LockRow }) {
  const isStale = useIsStale();
  const heldMs = useAtBackend(row.backend, (now, _, lastAnswerAt) => {
    const ms = heldMsOf(row, now, lastAnswerAt);
    return ms === null ? null : displayedMs(ms);
  });
  if (heldMs === null) return <span className="held-for text-t3">–</span>;
  const isOpen = row.hold !== null && row.status !== 'expired';
  const isBeyond = row.ownHold !== null && heldMs > row.ownHold.p99Ms;
  return (
    <span className={`held-for ${isBeyond ? 'font-[600]' : ''}`}>
      <Duration ms={heldMs} atLeast={row.status === 'unknown' || (isStale && isOpen)} />
    </span>
  );
}

/** The yardstick; how many times of it where that is more than one says more on a phone. */
function P99Hold({ row: { ownHold, hold, status } }: { row: LockRow }) {
  if (ownHold) {
    return (
      <span className="own-p99">
        <span className="sr-only">, p99 hold </span>
        {baselineText(ownHold.p99Ms)}
      </span>
    );
  }
  return <span className="own-p99">{hold && status !== 'unknown' ? 'no baseline' : ''}</span>;
}

/** Tooltip: the typical hold time of this lock. */
function typicalHoldTitle({ ownHold, hold }: LockRow, heldMs: number | null): string | null {
  if (!ownHold) return hold ? 'Not enough history (< 20 holds)' : null;
  const { p50Ms, p99Ms, count } = ownHold;
  const rule = `Typical ${durationText(p50Ms)} (p50), ${durationText(p99Ms)} (p99) over ${exactCount(count)} holds`;
  return hold && heldMs !== null && heldMs > p99Ms
    ? `${rule}; now ${factorText(heldMs, p99Ms)} p99`
    : rule;
}
