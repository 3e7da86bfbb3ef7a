'use client';

import { useEffect, useState } from 'react';
import type { CounterDetail, CounterMoveRow } from '@/server/contract/console/counter-row';
import { DeleteNamesButton } from '../deletion/delete-names-button';
import { ConnectionLostNote } from '../live/connection-lost-note';
import { ReadingProvider, useLiveReading } from '../live/reading';
import { storeRefusal } from '../live/reading-store';
import { RecordHead } from '../live/record-head';
import { useTRPCClient } from '../live/trpc';
import { useLive } from '../live/use-live';
import { Rev } from '../ui/rev';
import { AdjustDialog, type Adjusted } from './adjust-dialog';
import { BoundsDialog } from './bounds-dialog';
import { ChangesPanel } from './changes/changes-panel';
import { CoursePanel } from './course/course-panel';
import { GatePanel } from './gate-panel';
import { ReconcileDialog } from './reconcile-dialog';
import { SetDialog } from './set/set-dialog';
import { REFUSED_ID, ValuePanel } from './value-panel';

/** A counter's page: its value, the actions on it, and its history. */
export function CounterView({
  initial,
  moves,
}: {
  initial: CounterDetail;
  /** Null where they could not be read for the first paint. */
  moves: { rows: CounterMoveRow[]; older: string | null } | null;
}) {
  const client = useTRPCClient();
  const [dialog, setDialog] = useState<'adjust' | 'set' | 'bounds' | 'reconcile' | null>(null);
  const [change, setChange] = useChange();
  const { namespace, name } = initial.row;
  const { data, receivedAt, link, refusal, retry } = useLive<CounterDetail>(
    initial.row.id,
    initial,
    ({ onData, ...rest }) =>
      client.counters.watchDetail.subscribe(
        { namespace, name },
        { ...rest, onData: (message) => onData(message.data) },
      ),
  );
  const reading = useLiveReading(data, { receivedAt, refusal });
  const { row, gate } = data;
  const isRejecting = storeRefusal(reading, row) !== null;
  const close = () => setDialog(null);
  return (
    <ReadingProvider reading={reading}>
      <div className="page">
        <div className="flex flex-col gap-3.5">
          <header className="flex flex-col gap-1.5">
            <RecordHead
              kind="counter"
              row={row}
              isKnown={row.isKnown}
              link={link}
              onRetry={retry}
              meta={
                <>
                  counter · <Rev rev={row.rev} />
                </>
              }
            >
              <DeleteNamesButton
                kind="counter"
                at={{ namespace, way: 'names', names: name }}
                className="sm:ml-auto"
                isDisabled={isRejecting}
                describedBy={isRejecting ? REFUSED_ID : undefined}
              />
            </RecordHead>
          </header>
          <ValuePanel row={row} change={change} onAct={setDialog} />
          {!data.past && <CoursePanel row={row} />}
          {gate && <GatePanel row={row} gate={gate} onReconcile={() => setDialog('reconcile')} />}
          <ChangesPanel row={row} initial={moves} />
        </div>
      </div>
      <ConnectionLostNote />
      {dialog === 'adjust' && <AdjustDialog row={row} onDone={setChange} onClose={close} />}
      {dialog === 'set' && <SetDialog row={row} onDone={setChange} onClose={close} />}
      {dialog === 'reconcile' && gate && <ReconcileDialog row={row} gate={gate} onClose={close} />}
      {dialog === 'bounds' && <BoundsDialog row={row} onClose={close} />}
    </ReadingProvider>
  );
}

const SHOWN_MS = 30_000;

/** The last change made on this page, for 30 s. */
function useChange(): [Adjusted | null, (change: Adjusted) => void] {
  const [change, setChange] = useState<Adjusted | null>(null);
  useEffect(() => {
    if (!change) return;
    const timer = setTimeout(() => setChange(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [change]);
  return [change, setChange];
}
