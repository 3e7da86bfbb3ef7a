'use client';

import { useEffect, useState, useSyncExternalStore } from 'react';
import { exactInstant, instantText } from '../format/instants';

const never = () => () => {};

/** The reader's time zone; UTC in what the server renders, which does not know it. */
export function useZone(): string | undefined {
  return useSyncExternalStore<string | undefined>(
    never,
    () => undefined,
    () => 'UTC',
  );
}

const STEP_MS = 60_000;

/**
 * The server's clock to the minute: what it was when the page was rendered, and the time since. It
 * must run on, since an instant without a day is of today, and a page may be open for days.
 */
export function useServerClock(paintedAt: number): number {
  const [passedMs, setPassedMs] = useState(0);
  useEffect(() => {
    const begun = Date.now();
    const timer = setInterval(() => setPassedMs(Math.max(0, Date.now() - begun)), STEP_MS);
    return () => clearInterval(timer);
  }, []);
  return paintedAt + passedMs;
}

/**
 * A point in time, with the exact instant on hover.
 *
 * @param clock whose clock it was, for the hover
 */
export function Instant({
  at,
  now,
  clock = 'server',
}: {
  at: number;
  now: number;
  clock?: string;
}) {
  const zone = useZone();
  return (
    <time
      dateTime={exactInstant(at)}
      title={`${exactInstant(at)} (${clock} clock)`}
      className="whitespace-nowrap"
    >
      {instantText(at, now, zone)}
    </time>
  );
}
