'use client';

import Link from 'next/link';
import { useMemo, useState } from 'react';
import type { HoldRow, LockDetail, LockRow } from '@/server/contract/console/lock-row';
import { lockPath } from '@/server/core/names/console-path';
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
 * The gentlest act that helps, with its button and what else it affects; nothing if none does. Once
 * it was there its place stays, so that what is below it does not move as it is needed no more.
 */
export function RecommendedAct({ detail, hold }: { detail: LockDetail; hold: HoldRow | null }) {
  const recommendation = useRecommendation(detail, hold);
  const isPast = usePastAt() !== null;
  const mayAct = useActions() !== null;
  const [shownOf, setShownOf] = useState<string | null>(null);
  if (recommendation && shownOf !== detail.row.id) setShownOf(detail.row.id);
  if (isPast) return null;
  if (!recommendation)
    return shownOf === detail.row.id ? <NothingToDo isKnown={detail.fresh} /> : null;
  const { verb, title, effect, lock } = recommendation;
  return (
    <section aria-label="Recommended" className="recommended" data-acts={mayAct}>
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
      {isAct(verb) && <ActButton verb={verb} row={{ ...detail.row, hold }} />}
      {mayAct && (
        <a href="#actions" className="button recommended-more" data-tone="plain" data-size="normal">
          More…
        </a>
      )}
    </section>
  );
}

/** @param isKnown whether the lock's state is known, as far as its backend goes */
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
            : 'An act that would help is shown here again.'}
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

function useRecommendation(detail: LockDetail, hold: HoldRow | null): Recommendation | null {
  const { row, waiters, policy, waitPart, fresh } = detail;
  const zone = useZone();
  const isStale = useIsStale();
  const isClosed = useIsClosed(row.backend);
  const mayKnow = !isStale && (fresh || row.status === 'unknown');
  // As a text, since only a primitive is compared with the one before.
  const encoded = useAtBackend(row.backend, (now, silentMs) => {
    if (!mayKnow) return 'null';
    const facts = { row: { ...row, hold }, hold, waiters, policy, isClosed };
    const view = { now, silentMs, clockText: (at: number) => clockText(at, now, zone) };
    return JSON.stringify(recommendedAct({ ...facts, ...(waitPart && { waitPart }) }, view));
  });
  return useMemo(() => JSON.parse(encoded), [encoded]);
}
