'use client';

import { useRef, useState } from 'react';
import type { HeldLock } from '@/server/contract/console/waits/holder-rows';
import { exactCount, plural } from '@/server/core/format/numbers';
import { visibleText } from '@/server/core/format/visible-text';
import { isCountTyped, TypedCountField } from '../../actions/fields/typed-count';
import { isValidReason, ReasonField } from '../../actions/reason-field';
import { Dialog } from '../../ui/controls/dialog';
import { RunFoot } from '../../ui/controls/foot/run-foot';
import { isReleasedBy } from './release-plan';
import { ReleasePreview } from './release-preview';
import { ReleaseWarning } from './release-warning';
import { useReleaseAll } from './use-release-all';

/** Ends all holds of a process that is gone: those that were on the screen, and no others. */
export function ReleaseAllDialog({
  title,
  locks,
  renewedAt,
  onClose,
}: {
  /** The name of the process. */
  title: string;
  /** As they were when the dialog opened. */
  locks: HeldLock[];
  /** When it last renewed a lock, by the server's clock; null: it has renewed none. */
  renewedAt: number | null;
  onClose: () => void;
}) {
  const cancel = useRef<HTMLButtonElement>(null);
  const [count, setCount] = useState('');
  const [reason, setReason] = useState('');
  const { isBusy, isOver, silentSince, results, run, stop } = useReleaseAll(locks);
  const released = [...results.values()].filter(isReleasedBy).length;
  // After a stop the dialog stays open and shows what was done.
  const close = isBusy && silentSince === null ? stop : onClose;
  return (
    <Dialog
      open
      wide
      onClose={close}
      initialFocus={cancel}
      title={`Release ${allOf(locks)} of ${visibleText(title)}?`}
    >
      <ReleaseWarning locks={locks} renewedAt={renewedAt} />
      <ReleasePreview locks={locks} results={results} />
      {isBusy || isOver ? (
        <p role="status" className="mt-4 font-[620]">
          {exactCount(released)} of {plural(locks.length, 'lock')} released
          {isBusy ? ' so far…' : '.'}
        </p>
      ) : (
        <div className="mt-4 flex flex-col gap-4">
          <TypedCountField
            label="Number of locks to release"
            count={locks.length}
            typed={count}
            onChange={setCount}
          />
          <ReasonField
            value={reason}
            onChange={setReason}
            hint="recorded in the audit log, once for each lock"
          />
        </div>
      )}
      <RunFoot
        isBusy={isBusy}
        isOver={isOver}
        silentSince={silentSince}
        missing={[
          ...(isCountTyped(count, locks.length) ? [] : ['number of locks']),
          ...(isValidReason(reason) ? [] : ['reason']),
        ]}
        action={`Release ${plural(locks.length, 'lock')}`}
        busyLabel="Releasing…"
        cancel={cancel}
        onClose={close}
        onRun={() => void run(reason)}
      />
    </Dialog>
  );
}

const allOf = ({ length }: HeldLock[]) =>
  length === 1 ? 'the lock' : `all ${plural(length, 'lock')}`;
