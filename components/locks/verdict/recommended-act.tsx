'use client';

import Link from 'next/link';
import { useMemo, useState } from 'react';
import type { HoldRow, LockDetail, LockRow } from '@/server/contract/console/lock-row';
import { lockPath } from '@/server/core/paths/console-path';
import {
  type Recommendation,
  type RecommendedVerb,
  recommendedAct,
} from '@/server/core/verdict/recommended-act';
import { useActions } from '../../actions/actions-provider';
import { clockText } from '../../format/instants';
import { useAtBackend, useIsStale } from '../../live/reading';
import { usePastAt } from '../../past/past-at';
import { useIsClosed } from '../../shell/backend-queries';
import { Button } from '../../ui/controls/button';
import { useZone } from '../../ui/instant';

/** Unfreezing has its button in the head of the page and among the acts of the preview. */
type ActVerb = Exclude<RecommendedVerb, 'wait' | 'look' | 'unfreeze'>;

const BUTTONS: Record<ActVerb, { label: string; key: string; isHard?: boolean }> = {
  ask: { label: 'Ask to release…', key: 'a' },
  block: { label: 'Block renewals…', key: 's' },
  extend: { label: 'Extend…', key: 'e' },
  release: { label: 'Force release…', key: 'r', isHard: true },
};

/**
 * The gentlest act that helps, with its button and its side effects; nothing if none helps. Its
 * space is kept until the server has confirmed what the list showed, and once the act is no longer
 * needed or known, so that what is below it does not move.
 */
export function RecommendedAct({ detail, hold }: { detail: LockDetail; hold: HoldRow | null }) {
  const { recommendation, isKnown } = useRecommendation(detail, hold);
  const isStale = useIsStale();
  const isPast = usePastAt() !== null;
  const [last, setLast] = useState<{ of: string; act: Recommendation } | null>(null);
  const isShown = recommendation !== null && isKnown;
  const { id } = detail.row;
  if (isShown && (last?.of !== id || last.act !== recommendation)) {
    setLast({ of: id, act: recommendation });
  }
  if (isPast) return null;
  const row = { ...detail.row, hold };
  if (!isShown && last?.of === id) {
    return (
      <div className="recommended-place">
        <Act {...last.act} row={row} isHidden />
        <NothingToDo isKnown={detail.fresh} />
      </div>
    );
  }
  if (!recommendation || (!isShown && isStale)) return null;
  return <Act {...recommendation} row={row} isHidden={!isShown} />;
}

/** @param isHidden it only keeps its space */
function Act({
  verb,
  title,
  effect,
  lock,
  row,
  isHidden,
}: Recommendation & { row: LockRow; isHidden: boolean }) {
  const mayAct = useActions() !== null;
  return (
    <section
      aria-label="Recommended"
      inert={isHidden}
      className={`recommended ${isHidden ? 'invisible' : ''}`}
      data-acts={mayAct}
    >
      <div className="min-w-0">
        <p className="text-12 font-[550] text-acc">Recommended</p>
        <h2 className="font-[620] [overflow-wrap:anywhere]">{title}</h2>
        <p className="text-t2">{effect}</p>
      </div>
      {lock && (
        <Link
          href={lockPath(lock.namespace, lock.name)}
          prefetch={false}
          className="link shrink-0 rounded-4"
        >
          Open lock
        </Link>
      )}
      {isAct(verb) && <ActButton verb={verb} row={row} />}
      {mayAct && row.status !== 'unknown' && (
        <a href="#actions" className="button recommended-more" data-tone="plain" data-size="large">
          More…
        </a>
      )}
    </section>
  );
}

/** @param isKnown whether the lock's state is known, if the page's data is current */
function NothingToDo({ isKnown }: { isKnown: boolean }) {
  const isUnknown = useIsStale() || !isKnown;
  return (
    <section aria-label="Recommended" className="recommended" data-quiet="true">
      <div className="min-w-0 text-t2">
        <p className="text-12 text-t3">Recommended</p>
        <h2>{isUnknown ? 'Unknown at the moment' : 'Nothing to do now'}</h2>
        <p className="text-t3">
          {isUnknown
            ? 'The state of the lock is not known.'
            : 'If an action would help, it is shown here.'}
        </p>
      </div>
    </section>
  );
}

const isAct = (verb: RecommendedVerb): verb is ActVerb => Object.hasOwn(BUTTONS, verb);

function ActButton({ verb, row }: { verb: ActVerb; row: LockRow }) {
  const actions = useActions();
  if (!actions) return null;
  const { label, key, isHard } = BUTTONS[verb];
  const run = {
    ask: actions.ask,
    block: actions.stop,
    extend: actions.extend,
    release: actions.release,
  }[verb];
  return (
    <Button
      tone={isHard ? 'danger-word' : 'accent'}
      size="large"
      aria-keyshortcuts={key}
      onClick={() => run(row)}
    >
      {label}
      <span aria-hidden="true" className="key max-md:hidden">
        {key}
      </span>
    </Button>
  );
}

/** The act that helps in the state that is shown, and whether that state is known to be current. */
function useRecommendation(
  detail: LockDetail,
  hold: HoldRow | null,
): { recommendation: Recommendation | null; isKnown: boolean } {
  const { row, waiters, policy, waitPart, fresh } = detail;
  const zone = useZone();
  const isStale = useIsStale();
  const isClosed = useIsClosed(row.backend);
  const isKnown = !isStale && (fresh || row.status === 'unknown');
  // As a text, since only a primitive is compared with the one before.
  const encoded = useAtBackend(row, (now, silentMs, readAt, refusal) => {
    const facts = { row: { ...row, hold }, hold, waiters, policy, isClosed };
    const at = (instant: number) => clockText(instant, now, zone);
    const view = { now, readAt, silentMs, refusal, clockText: at };
    return JSON.stringify(recommendedAct({ ...facts, ...(waitPart && { waitPart }) }, view));
  });
  const recommendation = useMemo<Recommendation | null>(() => JSON.parse(encoded), [encoded]);
  return { recommendation, isKnown };
}
