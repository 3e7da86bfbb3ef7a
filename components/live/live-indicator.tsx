'use client';

import { ageText } from '../format/durations';
import { useAged, useAtBackend, useSilentBackends } from './reading';
import type { LinkState } from './use-live';

const FRESH_MS = 2_400;
const LATE_MS = 10_000;

/**
 * How old the data is: a full dot while it flows, a ring when it is late, a word when the
 * connection is down. For a `backend` that does not respond, the age is that of its last reading.
 * For the whole fleet the dot is full only while every backend responds.
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
  const heardMs = 100 * useAged((age) => Math.floor(age / 100));
  const ageMs = 100 * useAtBackend(backend, (_, silentMs) => Math.floor(silentMs / 100));
  const isFresh = ageMs < FRESH_MS;
  const isCut = heardMs >= LATE_MS || (link === 'connecting' && heardMs >= FRESH_MS);
  const isLost = isCut || ageMs >= LATE_MS;
  const silent = useSilentBackends();
  const missing = isFleet && silent !== '' ? `Without ${silent}, which does not respond` : '';
  return (
    <span
      title={missing || undefined}
      className="inline-flex items-center gap-2 text-12 whitespace-nowrap text-t2"
    >
      <span
        aria-hidden="true"
        className={`size-2.5 shrink-0 rounded-full ${
          isFresh && !missing
            ? 'bg-acc shadow-[0_0_0_3px_var(--accbg)]'
            : isLost || missing
              ? 'border-2 border-dashed border-unknown'
              : 'border-2 border-acc'
        }`}
      />
      <span className="min-w-[2.6em] text-right sm:min-w-[4.8em] sm:text-left">
        {isLost ? 'last read' : <span className="max-sm:sr-only">as of </span>}
        {isLost && ' '}
        {ageText(ageMs)}
        {isLost && ' ago'}
      </span>
      {isCut && onRetry && (
        <button type="button" className="link" onClick={onRetry}>
          Retry
        </button>
      )}
      <span role="status" className="sr-only">
        {isLost &&
          `${isCut ? 'The server' : `The backend ${backend}`} does not answer; the last values are shown.`}
        {!isLost && missing}
      </span>
    </span>
  );
}
