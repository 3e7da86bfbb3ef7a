'use client';

import { useState } from 'react';
import type { LockInsight } from '@/server/contract/console/insight-row';
import type { EventRow, LockDetail } from '@/server/contract/console/lock-row';
import { ActionsProvider } from '../../actions/actions-provider';
import { ResultNote } from '../../actions/results/result-note';
import { ChartsPanel } from '../../charts/charts-panel';
import { ConnectionLostNote } from '../../live/connection-lost-note';
import { ReadingProvider, useLiveReading } from '../../live/reading';
import { PastNote } from '../../past/past-note';
import { isMissing, MissingLock } from '../missing/missing-lock';
import { TimelinePanel } from '../timeline/timeline-panel';
import { chosenHold } from '../verdict/chosen-hold';
import { RecommendedAct } from '../verdict/recommended-act';
import { ActionLadder } from './action-ladder';
import { EventsPanel } from './events-panel';
import { HolderPanel } from './holder/holder-panel';
import { LockHeader } from './lock-header';
import { QueuePanel } from './queue/queue-panel';
import { ReleaseImpact } from './release-impact';
import { useLiveLock } from './use-live-lock';
import { WaitPartNote } from './wait-part-note';

/** About a lock of the past that was in use. */
const STATUS_LIMIT = 'The status uses the current baseline and policy.';

/** A lock's page: its current state, what can be done about it, and its history. */
export function LockView({
  initial,
  initialAt = null,
  events,
  insight,
}: {
  initial: LockDetail;
  /** This page's monotonic clock when that came; null: it is in the first paint. */
  initialAt?: number | null;
  /** Null where they could not be read for the first paint. */
  events: { rows: EventRow[]; older: string | null } | null;
  /** Of the range in the address; null if it could not be read for the first paint. */
  insight: LockInsight | null;
}) {
  const { data, receivedAt, link, refusal, retry } = useLiveLock(initial.row, initial, initialAt);
  const reading = useLiveReading(data, { receivedAt, refusal });
  const [token, setToken] = useState<number | null>(null);
  const chosen = chosenHold(data, token);
  return (
    <ReadingProvider reading={reading}>
      <ActionsProvider>
        <div className="page">
          <div className="lock-page">
            <LockHeader detail={data} chosen={chosen} link={link} onRetry={retry} />
            <PastNote
              past={data.past}
              {...(data.row.status !== 'free' && { limits: STATUS_LIMIT })}
            />
            {isMissing(data.row) && !data.past ? (
              <MissingLock row={data.row} />
            ) : (
              <>
                {data.waitPart && <WaitPartNote part={data.waitPart} />}
                {!data.past && <ActionLadder detail={data} chosen={chosen} />}
                {!data.past && <RecommendedAct detail={data} hold={chosen} />}
                <div className="lock-panels">
                  <HolderPanel detail={data} chosen={chosen} onChoose={setToken} />
                  <QueuePanel detail={data} />
                  {!data.past && <ReleaseImpact detail={data} chosen={chosen} />}
                </div>
                <TimelinePanel detail={data} />
              </>
            )}
            <div className="lock-past">
              {!data.past && <ChartsPanel row={data.row} initial={insight} />}
              <EventsPanel detail={data} initial={events} />
            </div>
          </div>
        </div>
        {!data.past && <ResultNote row={data.row} />}
        <ConnectionLostNote />
      </ActionsProvider>
    </ReadingProvider>
  );
}
