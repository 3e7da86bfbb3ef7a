'use client';

import { useState } from 'react';
import type { HoldRow, LockDetail, LockRow } from '@/server/contract/console/lock-row';
import { agoText, boundText, countdownText, wholeSeconds } from '@/server/core/format/durations';
import { plural } from '@/server/core/format/numbers';
import { visibleText } from '@/server/core/format/visible-text';
import { isReleased } from '@/server/core/lock/lock-record';
import { waitersThatFit } from '@/server/core/lock/permits';
import { useActionResult } from '../../actions/action-results';
import { useActions } from '../../actions/actions-provider';
import { reassignObstacle } from '../../actions/reassign/reassign-obstacle';
import { useAtBackend, useIsStale } from '../../live/reading';
import { useKeys } from '../../live/use-keys';
import { useIsClosed } from '../../shell/backend-queries';
import { useCurrentLock } from '../../shell/command/current-lock';
import { Button } from '../../ui/controls/button';

/** What can be done about a held lock, gentle to hard. */
export function ActionLadder({ detail, chosen }: { detail: LockDetail; chosen: HoldRow | null }) {
  const row = { ...detail.row, hold: chosen };
  const actions = useActions();
  const isStale = useIsStale();
  const result = useActionResult(row.id);
  const isClosed = useIsClosed(row.backend);
  const { hold } = row;
  const leftMs = useAtBackend(row.backend, (now) =>
    hold ? wholeSeconds(hold.expiresAt - now) : 0,
  );
  const askedWords = useAtBackend(row.backend, (now) => askedLabel(hold, now));
  const isKept = hold !== null && isReleased(hold);
  const delayMs = isKept ? 0 : detail.policy.lockDelayMs;
  const disabledBecause = disabledReason({
    mayAct: actions !== null,
    isHeld: hold !== null,
    detail,
    isStale,
  });
  const holderActDisabled = disabledBecause ?? (isKept ? 'Already released' : null);
  const isDead = hold?.liveness?.state === 'dead';
  const requestDisabled = holderActDisabled ?? (isDead ? 'process is dead' : null);
  const reassignDisabled = disabledBecause ?? reassignObstacle(detail, delayMs, isClosed);
  useCurrentLock(row);
  useKeys({
    a: () => !requestDisabled && actions?.ask(row),
    s: () => !requestDisabled && actions?.stop(row),
    e: () => !holderActDisabled && actions?.extend(row),
    r: () => !disabledBecause && actions?.release(row),
    R: () => !reassignDisabled && actions?.reassign(row),
    f: () => !isStale && detail.fresh && actions?.freeze(row),
  });
  // Once shown it stays, so that the page does not jump with every grant and release.
  const [isShown, setShown] = useState(disabledBecause === null);
  if (!isShown && disabledBecause === null) setShown(true);
  if (!isShown && disabledBecause) return <NoActs because={disabledBecause} />;
  const [next] = detail.waiters;
  const blocked = hold?.renewalsStopped ? 'blocked, ' : '';
  return (
    <section id="actions" aria-label="Actions" className="card ladder">
      <Step
        place={1}
        title="Ask the holder"
        effect="Sent with its next renewal; the holder may comply or ignore it."
        isDone={result?.kind === 'asked'}
        label={hold?.askedToRelease ? 'Ask again…' : 'Ask…'}
        obstacle={requestDisabled}
        onAct={() => actions?.ask(row)}
        note={askedWords}
        noteTitle={askedWords}
      />
      <Step
        place={2}
        title="Block renewals"
        effect="Block further renewals; the lock frees when the lease ends."
        isDone={result?.kind === 'stopped'}
        label="Block renewals…"
        obstacle={requestDisabled}
        onAct={() => actions?.stop(row)}
        note={`${blocked}frees in ${countdownText(Math.max(0, leftMs))}`}
      />
      <Step
        place={3}
        title="Extend"
        effect="Gives the holder time to finish. Waiters are delayed."
        isDone={result?.kind === 'extended'}
        label="Extend…"
        obstacle={holderActDisabled}
        onAct={() => actions?.extend(row)}
        note={delayedLabel(detail.waiters.length)}
      />
      <Step
        place={4}
        title="Force release"
        effect={
          isKept
            ? 'Freed now and granted to the next waiter. Its holder has released it.'
            : `Revoked now and granted to the next waiter. ${isDead ? DEAD : NOT_STOPPED}`
        }
        isHard
        isDone={result?.kind === 'forced'}
        label="Force release…"
        obstacle={disabledBecause}
        onAct={() => actions?.release(row)}
        note={isClosed ? 'no grant while backend is closed' : releaseLabel(detail, row, delayMs)}
        noteTitle={next && visibleText(next.owner)}
      />
      <Step
        place={5}
        title="Reassign"
        effect="Revoked now and granted to a waiter that you choose."
        isHard
        isDone={result?.kind === 'reassigned'}
        label="Reassign…"
        obstacle={reassignDisabled}
        onAct={() => actions?.reassign(row)}
        note="ahead of the queue"
      />
    </section>
  );
}

const DEAD = 'Its process is dead.';
const NOT_STOPPED = 'The holder is not stopped.';

/** Each reason why no step is possible, with a sentence that says so. */
const NO_ACTS = {
  'Requires operator role': 'Requires operator role to act on this lock.',
  'State unknown': 'State unknown: no action is possible now.',
  'Not held': 'Not held: no holder to act on.',
} as const;
type DisabledReason = keyof typeof NO_ACTS;

/** A sentence in place of the steps if none of them is possible. */
function NoActs({ because }: { because: DisabledReason }) {
  return (
    <section id="actions" aria-label="Actions" className="card px-3.5 py-2.5 text-t2">
      {NO_ACTS[because]}
    </section>
  );
}

function askedLabel(hold: HoldRow | null, now: number): string {
  if (!hold?.askedToRelease) return 'not asked yet';
  const { by, at } = hold.askedToRelease;
  const state = hold.renewedAt > at ? 'delivered' : 'not delivered yet';
  return `asked ${agoText(Math.max(0, now - at))} by ${visibleText(by)}, ${state}`;
}

function releaseLabel({ waiters: [next] }: LockDetail, row: LockRow, delayMs: number): string {
  const { frozen, holders, hold, permits } = row;
  if (frozen) return 'stays frozen';
  const later = delayMs > 0 ? `after ${boundText(delayMs)} ` : '';
  const to = next ? `${later}to ${visibleText(next.owner)}` : 'no waiters';
  if (holders <= 1) return to;
  if (!permits || hold?.permits === undefined) return 'other shared holders keep it';
  const left = permits.capacity - permits.inUse + hold.permits;
  return next && waitersThatFit([next], left).length === 0 ? 'next waiter still waits' : to;
}

const delayedLabel = (waiting: number) =>
  waiting === 0 ? 'no waiters' : `${plural(waiting, 'waiter')} delayed`;

function disabledReason({
  mayAct,
  isHeld,
  detail,
  isStale,
}: {
  mayAct: boolean;
  isHeld: boolean;
  detail: LockDetail;
  isStale: boolean;
}): DisabledReason | null {
  if (!mayAct) return 'Requires operator role';
  if (isStale || !detail.fresh) return 'State unknown';
  return isHeld ? null : 'Not held';
}

function Step({
  place,
  title,
  effect,
  isHard = false,
  isDone,
  label,
  obstacle,
  onAct,
  note,
  noteTitle,
}: {
  place: number;
  title: string;
  effect: string;
  isHard?: boolean;
  isDone: boolean;
  /** That of its button. */
  label: string;
  /** Why it is not possible; null: it is. */
  obstacle: string | null;
  onAct: () => void;
  /** Its state, or what it would lead to. */
  note: string;
  noteTitle?: string | undefined;
}) {
  const tone = isDone
    ? 'border-transparent bg-accbg text-acc'
    : isHard
      ? 'border-dangertext text-dangertext'
      : 'border-line2 text-t2';
  return (
    <div className="ladder-step">
      <h2 className="flex items-center gap-2.5 font-[620]">
        <span
          aria-hidden="true"
          className={`flex size-[18px] items-center justify-center rounded-4 border text-11 ${tone}`}
        >
          {place}
        </span>
        {title}
      </h2>
      <p className="mt-1 mb-3 flex-1 text-t2">{effect}</p>
      <div className="ladder-act">
        <Button
          tone={isHard ? 'danger-word' : 'plain'}
          disabled={obstacle !== null}
          onClick={onAct}
        >
          {label}
        </Button>
        <span className="min-w-0 text-12 leading-[15px] text-t2" title={noteTitle}>
          {obstacle ?? note}
        </span>
      </div>
    </div>
  );
}
