'use client';

import {
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import type { LockDetail, LockPage, LockRow } from '@/server/contract/console/lock-row';
import { exactCount } from '@/server/core/format/numbers';
import { ResultNote } from '../../actions/results/result-note';
import { shortToken } from '../../format/numbers';
import { Icon } from '../../icons/icon';
import { ConnectionLostNote } from '../../live/connection-lost-note';
import { LiveIndicator } from '../../live/live-indicator';
import { readFailureTitle } from '../../live/problem';
import { ReadingProvider, useLiveReading } from '../../live/reading';
import { Button } from '../../ui/controls/button';
import { CopyButton } from '../../ui/controls/copy-button';
import { ProblemNote } from '../../ui/problem-note';
import { RowsSkeleton } from '../../ui/rows-skeleton';
import { StatusBadge } from '../../ui/status-badge';
import { WholeName } from '../../ui/visible-text';
import { HolderPanel } from '../lock/holder/holder-panel';
import { QueuePanel } from '../lock/queue/queue-panel';
import { ReleaseImpact } from '../lock/release-impact';
import { useLiveLock } from '../lock/use-live-lock';
import { hasStandbysOnly } from '../lock-facts';
import { shownToken } from '../lock-labels';
import { OnItButton, OnItNote } from '../presence/on-it-button';
import { chosenHold } from '../verdict/chosen-hold';
import { LockSentence } from '../verdict/lock-sentence';
import { RecommendedAct } from '../verdict/recommended-act';
import { knownDetail } from './known-detail';
import { PeekActs } from './peek-acts';
import { PeekTimeline } from './peek-timeline';

interface PeekProps {
  namespace: string;
  name: string;
  /** Its row in the list; null where that is not loaded. */
  row: LockRow | null;
  page: LockPage;
  /** This page's monotonic clock when `page` came. */
  receivedAt: number | null;
  /** Its position in the list, from 0; null where that is not known. */
  place: number | null;
  /** Receives the lock that is shown: see `PeekControls`. */
  shown: RefObject<LockRow | null>;
  onStep: (by: 1 | -1) => void;
  /** The step that led to this lock; null once it has the focus again. */
  stepped: RefObject<1 | -1 | null>;
  onOpen: (row: LockRow) => void;
  onClose: () => void;
}

/** A lock beside the list: its holder, its queue, what a release would do, and the acts. */
export function PeekPanel({
  namespace,
  name,
  row,
  page,
  receivedAt: pageAt,
  shown,
  ...rest
}: PeekProps) {
  const [known] = useState(() => (row ? knownDetail(row, page) : null));
  const [knownAt] = useState(pageAt);
  const live = useLiveLock({ namespace, name }, known, knownAt);
  const { data: detail, receivedAt, link, refusal, retry } = live;
  return (
    <aside aria-label="Lock preview" className="peek fade-in">
      <PeekHead detail={detail} matching={page.matching} {...rest} />
      {detail ? (
        <PeekBody
          detail={detail}
          isAwaited={detail === known && detail.row.status !== 'unknown'}
          receivedAt={receivedAt}
          refusal={refusal}
          shown={shown}
        >
          <LiveIndicator link={link} onRetry={retry} backend={detail.row.backend} />
        </PeekBody>
      ) : refusal ? (
        <div className="p-5">
          <ProblemNote problem={{ text: refusal }} title={readFailureTitle(null, 'the lock')} />
        </div>
      ) : (
        <div className="after-a-moment p-5">
          <RowsSkeleton />
        </div>
      )}
    </aside>
  );
}

function PeekHead({
  detail,
  matching,
  place,
  onStep,
  stepped,
  onOpen,
  onClose,
}: Pick<PeekProps, 'place' | 'onStep' | 'stepped' | 'onOpen' | 'onClose'> & {
  detail: LockDetail | null;
  matching: number;
}) {
  const previous = useRef<HTMLButtonElement>(null);
  const next = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const by = stepped.current;
    stepped.current = null;
    if (by === null) return;
    const [same, other] = by === 1 ? [next, previous] : [previous, next];
    (same.current?.disabled ? other : same).current?.focus();
  }, [stepped]);
  return (
    <header className="flex h-11 shrink-0 items-center pointer-coarse:h-14 gap-2 border-line border-b pr-3 pl-5 max-sm:gap-1 max-sm:pr-1 max-sm:pl-3">
      {detail && (
        <StatusBadge status={detail.row.status} isExpected={hasStandbysOnly(detail.row)} />
      )}
      {place !== null && (
        <>
          <span className="pl-1 text-12 whitespace-nowrap text-t2 max-sm:sr-only">
            {exactCount(place + 1)} of {exactCount(matching)}
          </span>
          <span className="flex">
            <Button
              ref={previous}
              tone="quiet"
              size="small"
              aria-label="Previous lock"
              disabled={place === 0}
              onClick={() => onStep(-1)}
            >
              <Icon name="arrow-up" size={14} />
            </Button>
            <Button
              ref={next}
              tone="quiet"
              size="small"
              aria-label="Next lock"
              disabled={place + 1 >= matching}
              onClick={() => onStep(1)}
            >
              <Icon name="arrow-down" size={14} />
            </Button>
          </span>
        </>
      )}
      <span className="ml-auto flex gap-1.5">
        {detail && (
          <span className="max-sm:hidden">
            <OnItButton row={detail.row} size="small" />
          </span>
        )}
        <Button size="small" disabled={!detail} onClick={() => detail && onOpen(detail.row)}>
          Open
          <kbd className="key max-md:hidden">↵</kbd>
        </Button>
        <Button tone="quiet" size="small" aria-label="Close preview" onClick={onClose}>
          <Icon name="close" size={15} />
        </Button>
      </span>
    </header>
  );
}

function PeekBody({
  detail,
  isAwaited,
  receivedAt,
  refusal,
  shown,
  children,
}: {
  detail: LockDetail;
  /** It is what the list knew of a known state: the server has not answered yet. */
  isAwaited: boolean;
  receivedAt: number | null;
  refusal: string | null;
  shown: PeekProps['shown'];
  /** Whether data flows. */
  children: ReactNode;
}) {
  const { row, lastToken } = detail;
  const [token, setToken] = useState<number | null>(null);
  const chosen = chosenHold(detail, token);
  const shownHere = shownToken(chosen, lastToken);
  useLayoutEffect(() => {
    shown.current = { ...row, hold: chosen };
    return () => {
      shown.current = null;
    };
  }, [shown, row, chosen]);
  const reading = useLiveReading(detail, { receivedAt, refusal });
  return (
    <ReadingProvider reading={reading}>
      <div className="peek-body">
        <div className="flex flex-col gap-2 px-5 py-4">
          <div className="flex items-start gap-2">
            <h2 className="min-w-0 text-16 font-[550] text-balance">
              <WholeName name={row.name} />
            </h2>
            <span className="pointer-coarse:-my-2.5">
              <CopyButton text={row.name} label="Copy lock name" quiet />
            </span>
            <span className="ml-auto pt-0.5">{children}</span>
          </div>
          <p className="text-12 text-t3">
            {row.namespace} · {row.backend}
            {chosen && ` · ${chosen.mode}`}
            {shownHere && (
              <span title={`Token ${shownHere.token}`}>
                {' · '}
                {shownHere.label} <span className="font-mono">{shortToken(shownHere.token)}</span>
              </span>
            )}
          </p>
          <OnItNote row={row} />
          {/* On a phone there is no room for it in the head. */}
          <span className="sm:hidden">
            <OnItButton row={row} size="small" />
          </span>
          <LockSentence row={row} hold={chosen} />
          <RecommendedAct detail={detail} hold={chosen} />
        </div>
        <PeekTimeline detail={detail} />
        <HolderPanel detail={detail} chosen={chosen} onChoose={setToken} />
        <QueuePanel detail={detail} />
        {detail.fresh && <ReleaseImpact detail={detail} chosen={chosen} />}
        <PeekActs detail={detail} chosen={chosen} isAwaited={isAwaited} />
      </div>
      <ResultNote row={row} />
      {/* The list says what concerns both. */}
      {refusal && <ConnectionLostNote />}
    </ReadingProvider>
  );
}
