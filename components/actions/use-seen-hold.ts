'use client';

import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { LockRow } from '@/server/contract/console/lock-row';
import type { Changed } from '@/server/contract/console/operator-answers';
import type { EndCause } from '@/server/contract/primitives';
import { useReadingStore } from '../live/reading';
import type { Reading } from '../live/reading-store';
import { useTRPC } from '../live/trpc';
import { useLiveLock } from '../locks/lock/use-live-lock';
import {
  endOfHold,
  type HoldEnd,
  type HoldSnapshot,
  snapshotOfDetail,
  snapshotOfRefusal,
  snapshotOfRow,
} from './hold-snapshot';

export interface SeenHold {
  /** What the operator saw, and is about to act on. */
  seen: HoldSnapshot;
  /** What is there now. */
  now: HoldSnapshot;
  /** Another hold is there now, or none: the action is blocked. */
  isChanged: boolean;
  end: HoldEnd | null;
  /** The lock-delay after a lost hold; 0 if there is none, or while it is not known yet. */
  delayMs: number;
  reading: Reading;
  /** Keeps what the server said when it refused because the hold had changed. */
  refuse: (refusal: Changed) => void;
  /** Takes what is there now as what was seen. */
  acceptCurrent: () => void;
}

/** Compares the lock as it was when a dialog opened with the lock as it is now, live. */
export function useSeenHold(row: LockRow): SeenHold {
  const [pageReading] = useState(useReadingStore().get);
  const { data: detail, receivedAt } = useLiveLock(row, null);
  const [asSeen, setBase] = useState<HoldSnapshot>(() => snapshotOfRow(row));
  const [refusal, setRefusal] = useState<Changed | null>(null);

  const live = detail ? snapshotOfDetail(detail, asSeen.hold?.token) : null;
  const isOutdated = refusal !== null && (live === null || live.rev < refusal.rev);
  const now = isOutdated ? snapshotOfRefusal(refusal) : (live ?? asSeen);
  const isChanged = refusal !== null || now.hold?.token !== asSeen.hold?.token;
  // While it is the same hold, its renewals and its queue are shown as they are.
  const seen = isChanged ? asSeen : { ...now, rev: Math.max(asSeen.rev, now.rev) };

  const fromDetail = isChanged ? endOfHold(asSeen.hold?.token, refusal, detail) : null;
  const fromHistory = useEndFromHistory(
    row,
    isChanged && fromDetail === null ? asSeen.hold?.token : undefined,
  );

  const reading = useMemo<Reading>(
    () => (detail ? { asOf: detail.asOf, receivedAt, backends: [detail.backend] } : pageReading),
    [detail, receivedAt, pageReading],
  );
  return {
    seen,
    now,
    isChanged,
    end: fromDetail ?? fromHistory,
    delayMs: detail?.policy.lockDelayMs ?? 0,
    reading,
    refuse: setRefusal,
    acceptCurrent: () => {
      setBase(now);
      setRefusal(null);
    },
  };
}

const CAUSES: Record<string, EndCause> = {
  released: 'released',
  expired: 'expired',
  forced: 'forced',
  late: 'released',
};

/**
 * How a hold ended, from the lock's history; null while that is not known.
 *
 * @param token of the hold; nothing is asked while it is undefined
 */
function useEndFromHistory(
  { namespace, name }: { namespace: string; name: string },
  token: number | undefined,
): HoldEnd | null {
  const trpc = useTRPC();
  const { data } = useQuery(
    trpc.locks.events.queryOptions(
      { namespace, name, limit: 200 },
      { enabled: token !== undefined, staleTime: 0 },
    ),
  );
  const event = data?.rows.find((row) => row.token === token && CAUSES[row.kind] !== undefined);
  const cause = event && CAUSES[event.kind];
  if (token === undefined || !cause) return null;
  return {
    cause,
    at: event.at,
    ...(event.by !== null && { by: event.by }),
    ...(event.reason !== null && { reason: event.reason }),
  };
}
