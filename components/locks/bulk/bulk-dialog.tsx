'use client';

import { useState } from 'react';
import type { LockRow } from '@/server/contract/console/lock-row';
import { plural } from '@/server/core/format/numbers';
import { visibleText } from '@/server/core/format/visible-text';
import { ExtensionChoice, FIRST_EXTENSION_MS } from '../../actions/fields/extension-choice';
import { isCountTyped, TypedCountField } from '../../actions/fields/typed-count';
import { OperatorDialog } from '../../actions/operator-dialog';
import { rangeText } from '../../format/durations';
import { useReadingStore } from '../../live/reading';
import { storeObstacle } from '../../live/reading-store';
import { DialogWarning } from '../../ui/controls/dialog-warning';
import { ExactName } from '../../ui/visible-text';
import {
  type BulkAct,
  type BulkLock,
  bulkLockLabel,
  bulkLocks,
  bulkProgress,
  bulkResultLabel,
  bulkSummary,
} from './bulk-act';
import { type BulkRun, useBulkRun } from './use-bulk-run';

/** The title is a question until the act has begun. */
const WORDS: Record<BulkAct, { title: (of: string) => string; act: string; warning: string }> = {
  ask: {
    title: (of) => `Ask the holders of ${of} to release`,
    act: 'Ask to release',
    warning: 'Each holder gets the request with its next renewal, and may ignore it.',
  },
  extend: {
    title: (of) => `Extend the leases of ${of}`,
    act: 'Extend',
    warning: 'The holders are not notified, and waiters wait longer.',
  },
  release: {
    title: (of) => `Force release ${of}`,
    act: 'Force release',
    warning:
      'The holders are not stopped. They find out at their next renewals. Their writes are ' +
      'rejected only by resources that check the fencing token.',
  },
  freeze: {
    title: (of) => `Freeze ${of}`,
    act: 'Freeze',
    warning: 'No new grants until each is unfrozen. Holders can still renew and release.',
  },
};

/**
 * One act on many locks, as they were when it opened: a preview, their number to type, and a result
 * for each of them.
 */
export function BulkDialog({
  act,
  rows,
  onClose,
}: {
  act: BulkAct;
  rows: LockRow[];
  onClose: () => void;
}) {
  const reading = useReadingStore();
  const [locks] = useState(() => bulkLocks(act, rows, (row) => storeObstacle(reading.get(), row)));
  const [count, setCount] = useState('');
  const [reason, setReason] = useState('');
  const [extendMs, setExtendMs] = useState(FIRST_EXTENSION_MS);
  const bulk = useBulkRun(act, WORDS[act].act, extendMs);
  const going = locks.flatMap(({ row, impossible }) => (impossible === null ? [row] : []));
  const { title, act: verb, warning } = WORDS[act];
  const of = plural(going.length, 'lock');
  const isNone = going.length === 0;
  const hasBegun = bulk.isBusy || bulk.isOver;
  return (
    <OperatorDialog
      kind="lock"
      of={null}
      title={isNone ? `${verb}: not possible` : `${title(of)}${hasBegun ? '' : '?'}`}
      about={<BulkPreview locks={locks} bulk={bulk} warning={isNone || hasBegun ? '' : warning} />}
      {...((isNone || hasBegun) && { instead: { onUse: null } })}
      missing={isCountTyped(count, going.length) ? [] : ['number of locks']}
      actionLabel={`${verb} ${of}${act === 'extend' ? ` by ${rangeText(extendMs)}` : ''}`}
      tone={act === 'release' || act === 'freeze' ? 'danger' : 'accent'}
      attempt={{
        reason,
        setReason,
        isBusy: bulk.isBusy,
        silentSince: bulk.silentSince,
        mayRepeat: false,
        problem: null,
        isUnclear: false,
        isRefused: false,
        run: () => bulk.run(going, reason),
        forget: () => undefined,
      }}
      onStop={bulk.stop}
      onClose={onClose}
    >
      {act === 'extend' && (
        <ExtensionChoice name="all-longer-by" byMs={extendMs} onChange={setExtendMs} />
      )}
      <TypedCountField
        label="Number of locks"
        count={going.length}
        typed={count}
        onChange={setCount}
      />
    </OperatorDialog>
  );
}

function BulkPreview({
  locks,
  bulk,
  warning,
}: {
  locks: BulkLock[];
  bulk: BulkRun;
  warning: string;
}) {
  return (
    <>
      <ul
        aria-label="Locks"
        className="bulk-locks"
        data-begun={bulk.isBusy || bulk.isOver}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must reach it to scroll
        tabIndex={0}
      >
        {locks.map(({ row, impossible }) => {
          const result = bulk.results.get(row.id);
          const isBad = result !== undefined && result.kind !== 'done';
          const label = impossible ? `skipped: ${impossible}` : bulkResultLabel(result);
          return (
            <li key={row.id} className={impossible ? 'text-t3' : ''}>
              <span className="flex min-w-0 flex-wrap gap-x-2 text-12">
                <ExactName name={row.name} />
                <span className="min-w-0 text-t3 [overflow-wrap:anywhere]">{row.namespace}</span>
              </span>
              <span
                className={`min-w-0 text-12 [overflow-wrap:anywhere] ${isBad ? 'text-dangertext' : result ? 'text-acc' : 'text-t3'}`}
                title={`${row.namespace} · ${visibleText(row.backend)}`}
              >
                {label || bulkLockLabel(row)}
              </span>
            </li>
          );
        })}
      </ul>
      {warning && <DialogWarning>{warning}</DialogWarning>}
      <p role="status" className="font-[550]">
        {bulk.isBusy && bulkProgress(bulk.results.size, locks)}
        {bulk.isOver && bulkSummary(bulk.results.values())}
      </p>
    </>
  );
}
