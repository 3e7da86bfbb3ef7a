'use client';

import type { ReactNode } from 'react';
import { REFUSING_CLAUSES } from '@/server/contract/console/backend-health';
import type { HoldRow, LockDetail, LockRow } from '@/server/contract/console/lock-row';
import { useActions } from '../../actions/actions-provider';
import { DeleteNamesButton } from '../../deletion/delete-names-button';
import { shortToken } from '../../format/numbers';
import { Icon } from '../../icons/icon';
import { useIsStale, useRefusing, useStoreRefusal } from '../../live/reading';
import { RecordHead } from '../../live/record-head';
import type { LinkState } from '../../live/use-live';
import { NearLink } from '../../navigation/near-link';
import { useClosedRow, useIsClosed } from '../../shell/backend-queries';
import { Button } from '../../ui/controls/button';
import { Rev } from '../../ui/rev';
import { StatusBadge } from '../../ui/status-badge';
import { ListSteps } from '../list/walk/list-steps';
import { hasStandbysOnly } from '../lock-facts';
import { shownToken } from '../lock-labels';
import { isMissing } from '../missing/missing-lock';
import { OnItButton, OnItNote } from '../presence/on-it-button';
import { LockSentence } from '../verdict/lock-sentence';

/** Of the note on the backend, which says why no action is possible. */
const NOTE_ID = 'backend-note';

/** The lock's name and its state in words. */
export function LockHeader({
  detail,
  chosen,
  link,
  onRetry,
}: {
  detail: LockDetail;
  /** If several share the lock: the hold that is shown. */
  chosen: HoldRow | null;
  link: LinkState;
  onRetry: () => void;
}) {
  const { row, lastToken } = detail;
  const shown = shownToken(chosen, lastToken);
  const actions = useActions();
  const isKnown = !useIsStale() && detail.fresh;
  const isRejecting = useStoreRefusal(row) !== null;
  const mayAct = isKnown && !isRejecting;
  const disabling = {
    disabled: !mayAct,
    'aria-describedby': isRejecting ? NOTE_ID : undefined,
  };
  const isClosed = useIsClosed(row.backend);
  return (
    <header className="flex flex-col gap-1.5">
      <ListSteps namespace={row.namespace} name={row.name} />
      <RecordHead
        kind="lock"
        row={row}
        isKnown={row.status !== 'unknown'}
        link={link}
        onRetry={onRetry}
        meta={
          isMissing(row) ? null : (
            <>
              {chosen && `${chosen.mode} · `}
              <Rev rev={row.rev} />
              {shown && (
                <>
                  {' · '}
                  <span title={`Token ${shown.token}`}>
                    {shown.label} <span className="font-mono">{shortToken(shown.token)}</span>
                  </span>
                </>
              )}
            </>
          )
        }
      />
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2 text-14 sm:flex-nowrap">
        <span className="flex h-[22px] shrink-0 items-center">
          {isMissing(row) ? (
            <NotFoundBadge />
          ) : (
            <StatusBadge status={row.status} isExpected={hasStandbysOnly(row)} />
          )}
        </span>
        <LockSentence row={row} hold={chosen} />
        <span className="flex flex-wrap sm:shrink-0 items-center gap-2 empty:hidden sm:ml-auto">
          {!isMissing(row) && (
            <>
              <OnItNote row={row} />
              <OnItButton row={row} />
            </>
          )}
          {actions && (
            <DeleteNamesButton
              kind="lock"
              at={{ namespace: row.namespace, way: 'names', names: row.name }}
              isHidden={!isDeletable(row)}
              isDisabled={!mayAct}
              describedBy={disabling['aria-describedby']}
            />
          )}
          {actions && !isMissing(row) && (
            <>
              {row.permits && (
                <Button {...disabling} onClick={() => actions.capacity(row)}>
                  Capacity…
                </Button>
              )}
              <Button {...disabling} onClick={() => actions.freeze(row)}>
                <Icon name="snowflake" size={15} />
                {row.frozen ? 'Unfreeze…' : 'Freeze…'}
              </Button>
            </>
          )}
        </span>
      </div>
      {isClosed ? <BackendClosedNote backend={row.backend} /> : <BackendRejectsNote row={row} />}
    </header>
  );
}

/** Whether the lock has a record that can be deleted, since nothing uses the lock. */
const isDeletable = ({ hold, waiters, frozen, rev }: LockRow): boolean =>
  hold === null && waiters === 0 && !frozen && rev > 0;

/** In place of a state, if there is no record of this lock. */
function NotFoundBadge() {
  return (
    <span className="inline-flex h-5 items-center gap-[5px] rounded-5 border border-unknown border-dashed px-[5px] pr-[7px] text-12 text-unknown leading-none">
      <Icon name="question" size={14} />
      Not found
    </span>
  );
}

/** Above a lock whose backend grants nothing: explains why it stays free, or its waiters wait. */
function BackendClosedNote({ backend }: { backend: string }) {
  const servesNothing = useClosedRow(backend)?.reading?.servesNothing ?? false;
  return (
    <BackendNote>
      Backend {backend} is not granting locks.{' '}
      {servesNothing
        ? 'Renewals and releases are unavailable too.'
        : 'Existing holds and queue positions are kept.'}
    </BackendNote>
  );
}

/**
 * Above a lock that can still be read, while its store rejects all else, as a full one does. Where
 * the state is unknown, the sentence of the lock says so.
 */
export function BackendRejectsNote({ row }: { row: LockRow }) {
  const refusal = useStoreRefusal(row);
  const refusing = useRefusing(row);
  if (refusing === null || row.status === 'unknown') return null;
  return (
    <BackendNote>
      Backend {row.backend} {REFUSING_CLAUSES[refusing]}: no action is possible. {refusal}
    </BackendNote>
  );
}

function BackendNote({ children }: { children: ReactNode }) {
  return (
    <p
      id={NOTE_ID}
      role="status"
      className="mt-1 flex items-start gap-2.5 rounded-10 bg-danger-tint px-3.5 py-2.5"
    >
      <Icon name="alert-octagon" size={16} className="mt-0.5 text-dangertext" />
      <span>
        {children}{' '}
        <NearLink href="/backends" className="link rounded-4">
          Details
        </NearLink>
      </span>
    </p>
  );
}
