'use client';

import { useState } from 'react';
import type { LockRow } from '@/server/contract/console/lock-row';
import { boundText } from '../format/bound-text';
import { visibleText } from '../format/visible-name';
import { Icon } from '../icons/icon';
import { type Problem, problemOf } from '../live/problem';
import { useAtBackend } from '../live/reading';
import { useTRPCClient } from '../live/trpc';
import { stillRenews } from '../locks/lock-facts';
import { useIsClosed } from '../shell/use-guarantees';
import { Field } from '../ui/controls/field';
import { ActFrame } from './action-dialog';
import { tellResult } from './action-results';
import { nextInLine, staysShut } from './hold-snapshot';
import { isReason, ReasonField } from './reason-field';
import { useRequestId } from './use-request-id';
import { useSeenHold } from './use-seen-hold';

/** With more waiters than this, the lock's name must be typed. */
const MANY_WAITERS = 10;

/** Takes a lock away from its holder, after everything has been said about it. */
export function ForceReleaseDialog({ row, onClose }: { row: LockRow; onClose: () => void }) {
  const hold = useSeenHold(row);
  const { seen, delayMs } = hold;
  const requestId = useRequestId(seen.hold?.token);
  const client = useTRPCClient();
  const [typed, setTyped] = useState('');
  const [reason, setReason] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);

  const life = seen.hold?.life;
  const isAlive = useAtBackend(row.backend, (now) => life !== undefined && stillRenews(life, now));
  const why = nameNeeded(isAlive, seen.waiters);
  // Once the name has to be typed, this stays so: the dialog must not become easier to confirm
  // while it is open.
  const [asked, setAsked] = useState<string | null>(null);
  if (why !== null && asked === null) setAsked(why);

  const next = nextInLine(seen);
  const shut = staysShut(seen, useIsClosed(row.backend));
  const first = next ? visibleText(next.owner) : seen.waiters > 0 ? 'the next' : null;
  const nextName = shut ? null : first;
  const alone = shut ? 'Release this hold' : 'Release, nobody waits';
  const delay = delayMs > 0 && !shut ? boundText(delayMs) : null;
  const later = delay ? ` after ${delay}` : '';
  const hand = next?.setSize ? 'offer' : 'grant';
  const act = nextName ? `Release and ${hand} to ${nextName}${later}` : alone;
  const missing = [
    ...(asked !== null && typed !== row.name ? ['the lock’s name'] : []),
    ...(isReason(reason) ? [] : ['a reason']),
  ];

  const release = async () => {
    if (!seen.hold) return;
    setBusy(true);
    setProblem(null);
    try {
      const { token } = seen.hold;
      const { namespace, name } = row;
      const answer = await client.locks.forceRelease.mutate({
        namespace,
        name,
        token,
        rev: seen.rev,
        reason,
        requestId,
      });
      if (answer.outcome === 'changed') return hold.refuse(answer);
      tellResult({
        kind: 'forced',
        lockId: row.id,
        at: performance.now(),
        token,
        next: answer.next,
        waitersBefore: seen.waiters,
        waitersAfter: answer.queueLength,
        delayMs: shut ? 0 : delayMs,
      });
      onClose();
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setBusy(false);
    }
  };

  return (
    <ActFrame
      row={row}
      hold={hold}
      title={
        nextName ? `Release this lock and ${hand} it to ${nextName}${later}?` : 'Release this lock?'
      }
      warning={
        <>
          The holder is not stopped. It learns at its next renewal; writes are refused only where
          the token is checked.
          {delay && ` Nobody is granted for ${delay} after this: the lock-delay of its namespace.`}
        </>
      }
      missing={missing}
      act={act}
      tone="danger"
      isBusy={isBusy}
      problem={problem}
      onAct={() => void release()}
      onClose={onClose}
    >
      {asked !== null && (
        <Field
          label="Type the lock’s name"
          hint={asked}
          mono
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          autoComplete="off"
          autoCapitalize="off"
          autoCorrect="off"
          spellCheck={false}
          end={
            typed === row.name && (
              <span className="flex items-center gap-1.5 text-12 font-[550] text-acc">
                <Icon name="check" size={15} />
                matches
              </span>
            )
          }
        />
      )}
      <ReasonField value={reason} onChange={setReason} />
    </ActFrame>
  );
}

function nameNeeded(isAlive: boolean, waiters: number): string | null {
  if (isAlive) return 'because the holder still renews';
  return waiters > MANY_WAITERS ? `because ${waiters} wait` : null;
}
