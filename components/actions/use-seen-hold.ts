'use client';

import { useMemo, useState } from 'react';
import type { LockDetail, LockRow } from '@/server/contract/console/lock-row';
import type { Changed } from '@/server/contract/lock/answers';
import { useReadingStore } from '../live/reading';
import type { Reading } from '../live/reading-store';
import { useTRPCClient } from '../live/trpc';
import { useLive } from '../live/use-live';
import {
  endOfSeen,
  type HoldSide,
  type SeenEnd,
  sideOfDetail,
  sideOfRefusal,
  sideOfRow,
} from './hold-snapshot';
import { useEndInHistory } from './use-end-from-history';

export interface SeenHold {
  /** What the operator saw, and is about to act on. */
  seen: HoldSide;
  /** What is there now. */
  now: HoldSide;
  /** Another hold is there now, or none: the act may not go on. */
  isChanged: boolean;
  end: SeenEnd | null;
  /** The lock-delay after a lost hold; 0 if there is none, or while it is not known yet. */
  delayMs: number;
  reading: Reading;
  /** Keeps what the server said when it refused because the hold had changed. */
  refuse: (refusal: Changed) => void;
  /** Takes what is there now as what was seen. */
  useNow: () => void;
}

/** Holds what was seen when a dialog opened against what is there now, live. */
export function useSeenHold(row: LockRow): SeenHold {
  const [outer] = useState(useReadingStore().get);
  const client = useTRPCClient();
  const { namespace, name } = row;
  const { data: detail, receivedAt } = useLive<LockDetail | null>(
    row.id,
    null,
    ({ onData, ...rest }) =>
      client.locks.watchDetail.subscribe(
        { namespace, name },
        { ...rest, onData: (message) => onData(message.data) },
      ),
  );
  const [base, setBase] = useState<HoldSide>(() => sideOfRow(row));
  const [refusal, setRefusal] = useState<Changed | null>(null);

  const live = detail ? sideOfDetail(detail, base.hold?.token) : null;
  const isBehind = refusal !== null && (live === null || live.rev < refusal.rev);
  const now = isBehind ? sideOfRefusal(refusal) : (live ?? base);
  const isChanged = refusal !== null || now.hold?.token !== base.hold?.token;
  // While it is the same hold, its renewals and its queue are shown as they are.
  const seen = isChanged ? base : { ...now, rev: Math.max(base.rev, now.rev) };

  const known = isChanged ? endOfSeen(base.hold?.token, refusal, detail) : null;
  const told = useEndInHistory(row, isChanged && known === null ? base.hold?.token : undefined);

  const reading = useMemo<Reading>(
    () => (detail ? { asOf: detail.asOf, receivedAt, backends: [detail.backend] } : outer),
    [detail, receivedAt, outer],
  );
  return {
    seen,
    now,
    isChanged,
    end: known ?? told,
    delayMs: detail?.policy.lockDelayMs ?? 0,
    reading,
    refuse: setRefusal,
    useNow: () => {
      setBase(now);
      setRefusal(null);
    },
  };
}
