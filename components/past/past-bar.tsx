'use client';

import { useQuery } from '@tanstack/react-query';
import { usePathname, useRouter, useSearchParams } from 'next/navigation';
import {
  type CSSProperties,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import type { IncidentRow } from '@/server/contract/console/past/incident';
import { visibleText } from '@/server/core/format/visible-text';
import { nameFromPath } from '@/server/core/paths/console-path';
import { HOUR_MS, MINUTE_MS } from '@/server/core/time-units';
import { exactInstant } from '../format/instants';
import { useTRPC, useTRPCClient } from '../live/trpc';
import { useKeys } from '../live/use-keys';
import { NearLink } from '../navigation/near-link';
import { Button } from '../ui/controls/button';
import { useZone } from '../ui/instant';
import { pastHref } from './past-address';
import { findStep, type StepDirection } from './past-step';
import { pastText } from './past-text';

/** The spans that the slider can cover. */
const SPANS = [
  { ms: HOUR_MS, label: '1\u00a0h', name: 'Last hour' },
  { ms: 24 * HOUR_MS, label: '24\u00a0h', name: 'Last 24 hours' },
] as const;

/** How many incidents are marked on the slider: the latest of its span. */
const MARKS_MAX = 200;

/** While the slider is dragged, the page follows at most this often. */
const FOLLOW_MS = 250;

/** The instant that the page shows, with controls that lead to others and back to the present. */
export default function PastBar({ at }: { at: number }) {
  const trpc = useTRPC();
  const { data: range } = useQuery(trpc.past.range.queryOptions(undefined, { staleTime: 30_000 }));
  const now = range?.asOf ?? at;
  const firstSpan = now - at <= HOUR_MS ? 0 : 1;
  const [chosen, setChosen] = useState<number | null>(null);
  const span = SPANS[chosen ?? firstSpan] ?? SPANS[0];
  // An older instant is in the middle of a span of its own.
  const to = now - at <= span.ms ? now : at + span.ms / 2;
  const from = to - span.ms;
  const go = useGo();
  const { step, note } = useStep(at, go);
  useKeys({ ArrowLeft: () => step('previous'), ArrowRight: () => step('next') });
  return (
    <section className="past-bar" aria-label="Looking back">
      <p className="past-instant">
        As of{' '}
        <strong>
          <At at={at} now={now} />
        </strong>
      </p>
      <span className="past-steps">
        <Button size="small" onClick={() => step('previous')} title="Previous change (←)">
          ← <span className="max-lg:sr-only">Previous change</span>
        </Button>
        <Button size="small" onClick={() => step('next')} title="Next change (→)">
          <span className="max-lg:sr-only">Next change</span> →
        </Button>
      </span>
      <p role="status" className={note ? 'text-12 text-t2' : 'sr-only'}>
        {note}
      </p>
      <Slider
        at={at}
        now={now}
        from={from}
        to={to}
        since={range?.events ?? null}
        isPlaced={range !== undefined}
        onGo={go}
      />
      <fieldset className="flex gap-1">
        <legend className="sr-only">Span of the slider</legend>
        {SPANS.map(({ ms, label, name }, i) => (
          <button
            key={ms}
            type="button"
            className="range-button"
            aria-label={name}
            aria-pressed={range !== undefined && span.ms === ms}
            onClick={() => setChosen(i)}
          >
            {label}
          </button>
        ))}
      </fieldset>
      <BackToLive />
    </section>
  );
}

function BackToLive() {
  const params = useSearchParams();
  const href = `${usePathname()}?${params.toString()}`;
  return (
    <NearLink href={pastHref(href, null)} className="past-back link rounded-4 whitespace-nowrap">
      Back to live
    </NearLink>
  );
}

/** Opens the same page as of another instant. */
function useGo(): (at: number) => void {
  const router = useRouter();
  return useCallback(
    (next: number) => {
      const { pathname, search } = window.location;
      router.replace(pastHref(`${pathname}${search}`, next), { scroll: false });
    },
    [router],
  );
}

/** Steps to the change before or after an instant; `note` says why the last step led nowhere. */
function useStep(at: number, go: (at: number) => void) {
  const client = useTRPCClient();
  const pathname = usePathname();
  const [note, setNote] = useState('');
  const steps = useRef(0);
  // Once the page shows another instant, a pending step from the previous one is out of date; a key
  // that is pressed right afterwards begins the next step.
  // biome-ignore lint/correctness/useExhaustiveDependencies: that is when the instant changes
  useLayoutEffect(() => {
    steps.current += 1;
    setNote('');
  }, [at]);
  const step = async (direction: StepDirection) => {
    steps.current += 1;
    const mine = steps.current;
    const of = pathname.startsWith('/counters') ? 'counters' : 'locks';
    const [, , namespace, name] = pathname.split('/').map(nameFromPath);
    const named = namespace && name ? { namespace, name } : {};
    const found = await findStep(direction, () =>
      client.past.change.query({ at, direction, of, ...named }),
    );
    if (mine !== steps.current) return;
    setNote(found.note);
    if (found.at !== null) go(found.at);
  };
  return { step, note };
}

function Slider({
  at,
  now,
  from,
  to,
  since,
  isPlaced,
  onGo,
}: {
  at: number;
  now: number;
  from: number;
  to: number;
  since: number | null;
  /** False until it is known where the present is: the handle would be at a wrong place. */
  isPlaced: boolean;
  onGo: (at: number) => void;
}) {
  const [dragged, setDragged] = useState<number | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  // The page has followed: from now on its instant decides where the handle is.
  // biome-ignore lint/correctness/useExhaustiveDependencies: that is when the instant changes
  useEffect(() => setDragged(null), [at]);
  const move = (next: number) => {
    setDragged(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onGo(next), FOLLOW_MS);
  };
  const min = Math.max(from, since ?? from);
  const zone = useZone();
  return (
    <span className={isPlaced ? 'past-slider' : 'past-slider invisible'}>
      <input
        type="range"
        aria-label="Instant shown"
        aria-valuetext={pastText(dragged ?? at, now, zone)}
        min={Math.floor(from)}
        max={Math.ceil(to)}
        step={1_000}
        value={dragged ?? at}
        onChange={(event) => move(Math.max(min, Number(event.target.value)))}
      />
      <Marks from={from} to={to} />
      {dragged !== null && dragged !== at && (
        <output className="past-dragged" style={{ left: `${shareOf(dragged, from, to)}%` }}>
          {pastText(dragged, now, zone)}
        </output>
      )}
    </span>
  );
}

/** Incidents, where they are on the slider. */
function Marks({ from, to }: { from: number; to: number }) {
  const trpc = useTRPC();
  const since = Math.max(0, Math.floor(from / MINUTE_MS) * MINUTE_MS);
  const until = Math.ceil(to / MINUTE_MS) * MINUTE_MS;
  const { data } = useQuery(
    trpc.insights.incidents.queryOptions({ since, until, limit: MARKS_MAX }, { staleTime: 30_000 }),
  );
  const rows = data?.rows.filter(({ beganAt }) => beganAt < to) ?? [];
  return (
    <span className="past-marks" aria-hidden="true">
      {rows.map((incident) => (
        <i
          key={incident.id}
          title={`Incident on ${visibleText(incident.name)}`}
          style={markOf(incident, from, to)}
        />
      ))}
    </span>
  );
}

function markOf(
  { beganAt, endedAt, readAt }: IncidentRow,
  from: number,
  to: number,
): CSSProperties {
  const left = shareOf(beganAt, from, to);
  const right = shareOf(endedAt ?? readAt, from, to);
  return { left: `${left}%`, width: `max(3px, ${right - left}%)` };
}

const shareOf = (at: number, from: number, to: number): number =>
  Math.min(100, Math.max(0, ((at - from) / (to - from)) * 100));

function At({ at, now }: { at: number; now: number }) {
  const zone = useZone();
  return (
    <time dateTime={exactInstant(at)} title={`${exactInstant(at)} (server clock)`}>
      {pastText(at, now, zone)}
    </time>
  );
}
