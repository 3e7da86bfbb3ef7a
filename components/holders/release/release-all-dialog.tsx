'use client';

import { useRef, useState } from 'react';
import type { HeldLock } from '@/server/contract/console/waits/holder-rows';
import { agoText, wholeSeconds } from '@/server/core/format/durations';
import { exactCount, plural } from '@/server/core/format/numbers';
import { visibleText } from '@/server/core/format/visible-text';
import { isValidReason, ReasonField } from '../../actions/reason-field';
import { Icon } from '../../icons/icon';
import { useAtBackend } from '../../live/reading';
import { Dialog } from '../../ui/controls/dialog';
import { Field } from '../../ui/controls/field';
import { RunFoot } from '../../ui/controls/run-foot';
import { ExactName } from '../../ui/visible-text';
import { afterRelease, isReleasedBy, planText, resultText } from './release-plan';
import { useReleaseAll } from './use-release-all';

/** A process whose last renewal is not older than this is assumed to be alive. */
const ALIVE_WITHIN_MS = 15_000;

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
  const progress = useReleaseAll(locks);
  const { isBusy, isOver, silentSince, results } = progress;
  const isFixed = isBusy || isOver;
  const isCounted = count.replaceAll(/\D/g, '') === String(locks.length);
  const released = [...results.values()].filter(isReleasedBy).length;
  // After a stop the dialog stays open and shows what was done.
  const close = isBusy && silentSince === null ? progress.stop : onClose;
  return (
    <Dialog
      open
      wide
      onClose={close}
      initialFocus={cancel}
      title={`Release ${allOf(locks)} of ${visibleText(title)}?`}
    >
      <p className="my-4 flex gap-3 rounded-10 bg-contended-tint px-3.5 py-2.5">
        <Icon name="alert-triangle" size={16} className="mt-0.5 shrink-0 text-contended" />
        <span>
          <LastRenewal renewedAt={renewedAt} />
          {planText(locks)} If the process still runs, it is not stopped: it finds out at its next
          renewal, and its writes are rejected only by resources that check the fencing token.
        </span>
      </p>
      <ul className="release-preview" aria-label="What happens to each lock">
        {locks.map((lock, place) => {
          const result = results.get(place);
          return (
            <li key={`${lock.namespace} ${lock.name} ${lock.token}`}>
              <ExactName name={lock.name} className="text-12" />
              <span className="text-12 text-t3">
                {lock.namespace} · {lock.backend}
              </span>
              <span
                className={`release-result ${result && !isReleasedBy(result) ? 'text-dangertext' : 'text-t2'}`}
              >
                {result ? resultText(result) : afterRelease(lock)}
              </span>
            </li>
          );
        })}
      </ul>
      {isFixed ? (
        <p role="status" className="mt-4 font-[620]">
          {exactCount(released)} of {plural(locks.length, 'lock')} released
          {isBusy ? ' so far…' : '.'}
        </p>
      ) : (
        <div className="mt-4 flex flex-col gap-4">
          <Field
            label="Number of locks to release"
            hint={`type ${exactCount(locks.length)}`}
            inputMode="numeric"
            autoComplete="off"
            value={count}
            onChange={(event) => setCount(event.target.value)}
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
          ...(isCounted ? [] : ['number of locks']),
          ...(isValidReason(reason) ? [] : ['reason']),
        ]}
        action={`Release ${plural(locks.length, 'lock')}`}
        busyLabel="Releasing…"
        cancel={cancel}
        onClose={close}
        onRun={() => void progress.run(reason)}
      />
    </Dialog>
  );
}

const allOf = ({ length }: HeldLock[]) =>
  length === 1 ? 'the lock' : `all ${plural(length, 'lock')}`;

/** A recent renewal, which an operator must not miss: the process is still running. */
function LastRenewal({ renewedAt }: { renewedAt: number | null }) {
  const agoMs = useAtBackend('', (now) =>
    renewedAt === null ? -1 : wholeSeconds(Math.max(0, now - renewedAt)),
  );
  if (agoMs < 0 || agoMs > ALIVE_WITHIN_MS) return null;
  return <b className="font-[620]">It renewed a lock {agoText(agoMs)}, so it is still running. </b>;
}
