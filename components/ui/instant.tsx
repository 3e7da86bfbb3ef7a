'use client';

import { useSyncExternalStore } from 'react';
import { exactInstant, instantText } from '../format/instants';

const never = () => () => {};

/** The reader's zone; UTC while the server draws, which does not know it. */
export function useZone(): string | undefined {
  return useSyncExternalStore<string | undefined>(
    never,
    () => undefined,
    () => 'UTC',
  );
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
