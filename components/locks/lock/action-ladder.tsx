'use client';

import { useState } from 'react';
import type { HoldRow, LockDetail, LockRow } from '@/server/contract/console/lock-row';
import { agoText, boundText, countdownText, wholeSeconds } from '@/server/core/format/durations';
import { capital, plural } from '@/server/core/format/numbers';
import { visibleText } from '@/server/core/format/visible-text';
import { isReleased } from '@/server/core/lock/lock-record';
import { waitersThatFit } from '@/server/core/lock/permits';
import { useActionResult } from '../../actions/action-results';
import { useActions } from '../../actions/actions-provider';
import { reassignObstacle } from '../../actions/reassign/reassign-obstacle';
import { useAtBackend, useIsStale, useStoreObstacle } from '../../live/reading';
import type { StoreObstacle } from '../../live/reading-store';
import { useKeys } from '../../live/use-keys';
import { useIsClosed } from '../../shell/backend-queries';
import { useCurrentLock } from '../../shell/command/current-lock';
import { Button } from '../../ui/controls/button';

/** What can be done about a held lock, gentle to hard. */
export function ActionLadder({ detail, chosen }: { detail: LockDetail; chosen: HoldRow | null }) {
  const row = { ...detail.row, hold: chosen };
  const { hold } = row;
  const actions = useActions();
  const result = useActionResult(row.id);
  const isClosed = useIsClosed(row.backend);
  const isKnown = !useIsStale() && detail.fresh;
  const atStore = useStoreObstacle(row);
  const delayMs = delayAfter(hold, detail);
  const unavailable = unavailableBecause({
    mayAct: actions !== null,
    isKnown,
    atStore,
    isHeld: hold !== null,
  });
  const obstacles = {
    ...holderObstacles(unavailable, hold),
    release: unavailable,
    reassign: unavailable ?? reassignObstacle(detail, delayMs, isClosed),
  };
  useCurrentLock(row);
  useKeys({
    a: () => !obstacles.ask && actions?.ask(row),
    s: () => !obstacles.ask && actions?.stop(row),
    e: () => !obstacles.extend && actions?.extend(row),
    r: () => !obstacles.release && actions?.release(row),
    R: () => !obstacles.reassign && actions?.reassign(row),
    f: () => isKnown && !atStore && actions?.freeze(row),
  });
  const leftMs = useAtBackend(row, (now) => (hold ? wholeSeconds(hold.expiresAt - now) : 0));
  const asked = useAtBackend(row, (now) => askedLabel(hold, now));
  // Once shown it stays, so that the page does not jump with every grant and release.
  const [isShown, setShown] = useState(unavailable === null);
  if (!isShown && unavailable === null) setShown(true);
  if (!isShown && unavailable) return <NoActs because={unavailable} />;
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
        obstacle={obstacles.ask}
        onAct={() => actions?.ask(row)}
        note={asked}
        noteTitle={asked}
      />
      <Step
        place={2}
        title="Block renewals"
        effect="Block further renewals; the lock frees when the lease ends."
        isDone={result?.kind === 'stopped'}
        label="Block renewals…"
        obstacle={obstacles.ask}
        onAct={() => actions?.stop(row)}
        note={`${blocked}frees in ${countdownText(Math.max(0, leftMs))}`}
      />
      <Step
        place={3}
        title="Extend"
        effect="Gives the holder time to finish. Waiters are delayed."
        isDone={result?.kind === 'extended'}
        label="Extend…"
        obstacle={obstacles.extend}
        onAct={() => actions?.extend(row)}
        note={delayedLabel(detail.waiters.length)}
      />
      <Step
        place={4}
        title="Force release"
        effect={releaseEffect(hold)}
        isHard
        isDone={result?.kind === 'forced'}
        label="Force release…"
        obstacle={obstacles.release}
        onAct={() => actions?.release(row)}
        note={isClosed ? 'backend is not granting locks' : releaseLabel(detail, row, delayMs)}
        noteTitle={next && visibleText(next.owner)}
      />
      <Step
        place={5}
        title="Reassign"
        effect="Revoked now and granted to a waiter that you choose."
        isHard
        isDone={result?.kind === 'reassigned'}
        label="Reassign…"
        obstacle={obstacles.reassign}
        onAct={() => actions?.reassign(row)}
        note="ahead of the queue"
      />
    </section>
  );
}

/** Why no step is possible. */
type Unavailable = 'requires operator role' | 'state unknown' | StoreObstacle | 'not held';

/** Sentences about reasons that do not pass by themselves. */
const NO_ACTS: Partial<Record<Unavailable, string>> = {
  'requires operator role': 'Requires operator role to act on this lock.',
  'not held': 'Not held: no holder to act on.',
};

/** A sentence in place of the steps if none of them is possible. */
function NoActs({ because }: { because: Unavailable }) {
  return (
    <section id="actions" aria-label="Actions" className="card px-3.5 py-2.5 text-t2">
      {NO_ACTS[because] ?? `${capital(because)}: no action is possible now.`}
    </section>
  );
}

function unavailableBecause({
  mayAct,
  isKnown,
  atStore,
  isHeld,
}: {
  mayAct: boolean;
  isKnown: boolean;
  atStore: StoreObstacle | null;
  isHeld: boolean;
}): Unavailable | null {
  if (!mayAct) return 'requires operator role';
  if (!isKnown) return 'state unknown';
  if (atStore) return atStore;
  return isHeld ? null : 'not held';
}

/** Why nothing can be asked of the holder, and why its hold cannot be extended; null: it can. */
function holderObstacles(
  unavailable: Unavailable | null,
  hold: HoldRow | null,
): { ask: string | null; extend: string | null } {
  const extend = unavailable ?? (isKept(hold) ? 'already released' : null);
  return { ask: extend ?? (isDead(hold) ? 'process is dead' : null), extend };
}

/** The lock delay after the end of this hold. */
const delayAfter = (hold: HoldRow | null, { policy }: LockDetail): number =>
  isKept(hold) ? 0 : policy.lockDelayMs;

/** Released, but the lock stays taken until it was held for its least time. */
const isKept = (hold: HoldRow | null): boolean => hold !== null && isReleased(hold);

const isDead = (hold: HoldRow | null): boolean => hold?.liveness?.state === 'dead';

function releaseEffect(hold: HoldRow | null): string {
  if (isKept(hold)) return 'Freed now and granted to the next waiter. Its holder has released it.';
  const after = isDead(hold) ? 'Its process is dead.' : 'The holder is not stopped.';
  return `Revoked now and granted to the next waiter. ${after}`;
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
