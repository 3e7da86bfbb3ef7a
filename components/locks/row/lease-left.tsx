'use client';

import type { RecordKeeper } from '@/server/contract/console/backend-health';
import type { LockRow } from '@/server/contract/console/lock-row';
import { countdownText } from '@/server/core/format/durations';
import { shareLeft } from '../../format/durations';
import { useAtBackend, useIsStale } from '../../live/reading';
import { expiredAt, presentHold } from '../lock-facts';
import { leaseLabel } from '../lock-labels';

/** A bar that runs out to the left, with a notch at a fifth of the lease. */
export function LeaseBar({
  share,
  look,
  className = '',
}: {
  /** From 0 to 1. */
  share: number;
  look: 'quiet' | 'short' | 'expired' | 'unknown';
  className?: string;
}) {
  return (
    <span aria-hidden="true" data-look={look} className={`lease-bar ${className}`}>
      {(look === 'quiet' || look === 'short') && (
        <span
          className="lease-fill"
          style={{ transform: `translateX(${((share - 1) * 100).toFixed(2)}%)` }}
        />
      )}
    </span>
  );
}

/** A row's lease: the bar and the countdown. On old data nothing counts. */
export function LeaseLeft({ row }: { row: LockRow }) {
  const isStale = useIsStale();
  const words = useAtBackend(row, (now) => leaseLabel(row, now));
  const hold = presentHold(row);
  const seconds = useAtBackend(row, (now) =>
    hold ? Math.ceil((hold.expiresAt - now) / 1_000) : 0,
  );
  if (row.status === 'unknown' || (isStale && hold)) {
    return (
      <>
        <LeaseBar share={0} look="unknown" />
        <span className="text-t3" title="Unknown: data is stale">
          ?
        </span>
      </>
    );
  }
  if (row.status === 'expired') {
    return (
      <>
        <LeaseBar share={0} look="expired" />
        <span className="text-expired" title="Time since the lease expired">
          {expiredAt(row) === null ? '–' : words}
        </span>
      </>
    );
  }
  if (!hold) return <span className="text-t3">–</span>;
  const isShort = row.status === 'expiring';
  return (
    <>
      <LeaseBar
        share={shareLeft(seconds * 1_000, hold.leaseMs)}
        look={isShort ? 'short' : 'quiet'}
      />
      <span className={isShort ? 'font-[550] text-expiring' : ''}>{words}</span>
    </>
  );
}

/** A bar and a countdown to an instant of a store's clock, such as a waiter's timeout. */
export function Countdown({
  keeper,
  until,
  wholeMs,
  className = '',
  isAlarming,
}: {
  keeper: RecordKeeper;
  until: number;
  wholeMs: number;
  className?: string;
  /** Whether it is coloured; if absent, when little is left. */
  isAlarming?: boolean;
}) {
  const isStale = useIsStale();
  const leftMs = useAtBackend(keeper, (now) => Math.ceil((until - now) / 200) * 200);
  const share = shareLeft(leftMs, wholeMs);
  if (isStale) {
    return (
      <>
        <LeaseBar share={0} look="unknown" className={className} />
        <span className="text-t3">?</span>
      </>
    );
  }
  const isShort = isAlarming ?? share < 0.2;
  return (
    <>
      <LeaseBar share={share} look={isShort ? 'short' : 'quiet'} className={className} />
      <span className={isShort ? 'text-expiring' : ''}>{countdownText(Math.max(0, leftMs))}</span>
    </>
  );
}
