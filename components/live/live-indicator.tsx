'use client';

import { spokenDuration } from '@/server/core/format/durations';
import { ageText } from '../format/durations';
import { usePastAt } from '../past/past-at';
import { useAged, useBackendAge, useOutageNote, useOutageText, useRefusal } from './reading';
import { useTabState } from './tab/tab-rest';
import type { LinkState } from './use-live';

const FRESH_MS = 2_400;
const LATE_MS = 10_000;

/**
 * Whether data flows: a full dot while it does, a ring and its age when it is late, “last update”
 * when the connection is down. For a `backend` that does not respond, the age is that of its last
 * reading. For the whole fleet the dot is full only while every backend responds.
 */
export function LiveIndicator({
  link,
  onRetry,
  backend = '',
  isFleet = false,
}: {
  link: LinkState;
  onRetry?: () => void;
  backend?: string;
  isFleet?: boolean;
}) {
  const isCut = useAged(
    (ageMs) => ageMs >= LATE_MS || (link === 'connecting' && ageMs >= FRESH_MS),
  );
  const isLate = useBackendAge(backend, (ageMs) => ageMs >= FRESH_MS);
  const isVeryLate = useBackendAge(backend, (ageMs) => ageMs >= LATE_MS);
  const isLost = isCut || isVeryLate;
  const age = useBackendAge(backend, (ageMs) =>
    isLost ? `${ageText(ageMs)} ago` : isLate ? `${spokenDuration(ageMs)} ago` : '',
  );
  const outages = useOutageNote();
  const isPast = usePastAt() !== null;
  const isWaking = useTabState() === 'waking';
  const refusal = useRefusal();
  const outage = useOutageText([backend]);
  const silence = isCut ? 'Server not responding' : `Backend ${outage}`;
  const missing = isFleet ? outages : '';
  if (isPast) return null;
  return (
    <span
      title={missing || undefined}
      className="inline-flex items-center gap-2 text-12 whitespace-nowrap text-t2"
    >
      <span
        aria-hidden="true"
        className={`size-2.5 shrink-0 rounded-full ${
          !isLate && !missing
            ? 'bg-acc shadow-[0_0_0_3px_var(--accbg)]'
            : isLost || missing
              ? 'border-2 border-dashed border-unknown'
              : 'border-2 border-acc'
        }`}
      />
      <span>
        {isLost ? (
          <span className="max-sm:sr-only">Last update </span>
        ) : isLate ? (
          <span className="max-sm:sr-only">Updated </span>
        ) : (
          'Live'
        )}
        {age}
      </span>
      {isCut && onRetry && (
        <button type="button" className="link" onClick={onRetry}>
          Retry
        </button>
      )}
      <span role="status" className="sr-only">
        {isLost && !isWaking && `${refusal ?? `${silence}.`} Showing last known values.`}
        {!isLost && missing}
      </span>
    </span>
  );
}
