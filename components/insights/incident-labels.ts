import type {
  IncidentDetail,
  IncidentRelation,
  IncidentRow,
} from '@/server/contract/console/past/incident';
import type { RefusalBar } from '@/server/contract/console/past/lock-timeline';
import {
  baselineText,
  boundText,
  durationText,
  pastDuration,
} from '@/server/core/format/durations';
import { exactCount, plural } from '@/server/core/format/numbers';
import { visibleText } from '@/server/core/format/visible-text';

/** How long an incident lasted, or has lasted by the last reading, in milliseconds. */
function lastedMs({ beganAt, endedAt, readAt }: IncidentRow): number {
  return Math.max(0, (endedAt ?? readAt) - beganAt);
}

const JUST_BEGUN = 'just begun';

/** The same in words. */
function lastedLabel(incident: IncidentRow): string {
  const ms = lastedMs(incident);
  return incident.endedAt === null && ms < 1_000 ? JUST_BEGUN : durationText(ms);
}

/** Waiter-seconds: how long all waiters waited during an incident, added up. */
const waiterSeconds = ({ waiterMs }: IncidentRow): number => Math.round(waiterMs / 1_000);

/** One fact of an incident: its term, its value, and a remark, which may be empty. */
export type IncidentFact = [term: string, value: string | { at: number }, more: string];

/** An incident in figures: when, how long, how bad, and who acted. */
export function incidentFacts(detail: IncidentDetail): IncidentFact[] {
  const { incident } = detail;
  const { beganAt, endedAt, clearedAt, waitersMax, blockingMaxMs } = incident;
  const isClear = endedAt === null && clearedAt !== null;
  const death = deathProof(incident);
  const refused = refusedIn(detail);
  return [
    ['Began', { at: beganAt }, ''],
    [
      'Ended',
      endedAt === null ? 'open' : { at: endedAt },
      isClear ? 'ends once the lock has been clear for 30\u00a0s' : '',
    ],
    ['Lasted', lastedLabel(incident), ''],
    [
      'Waiter-seconds',
      exactCount(waiterSeconds(incident)),
      `at most ${exactCount(waitersMax)} waited`,
    ],
    [
      'Peak blocking',
      durationText(blockingMaxMs),
      refused.length > 0 ? 'sum of waits and refused attempts' : 'sum of all waits',
    ],
    ['Refused', ...refusedFacts(refused)],
    ...(death ? [['Holder exited', { at: death.since }, death.proof] as IncidentFact] : []),
    ['Actions by', actorsLabel(incident), ''],
  ];
}

/** The attempts that were refused during an incident. */
function refusedIn({ incident, timeline }: IncidentDetail): RefusalBar[] {
  const { beganAt, endedAt, readAt } = incident;
  return timeline.refused.filter(({ from, to }) => to >= beganAt && from <= (endedAt ?? readAt));
}

/** How many attempts there were, and of which owners. */
function refusedFacts(bars: readonly RefusalBar[]): [string, string] {
  const attempts = bars.reduce((sum, bar) => sum + bar.attempts, 0);
  if (attempts === 0) return ['none', ''];
  const owners = [...new Set(bars.flatMap((bar) => bar.owners))];
  const named = owners
    .slice(0, 3)
    .map((owner) => visibleText(owner))
    .join(', ');
  const areMore = owners.length > 3 || bars.some((bar) => bar.areMore);
  return [plural(attempts, 'attempt'), `by ${named}${areMore ? ' and others' : ''}`];
}

/** What the timeline of an incident leaves out, in sentences. */
export function lacksOf({ since, from, waits, moreWaits }: IncidentDetail['timeline']): string[] {
  const all = waits.length + moreWaits;
  return [
    ...(since > from ? ['Too many events for this span: its beginning is incomplete.'] : []),
    ...(moreWaits > 0
      ? [`Of ${exactCount(all)} waits, only the ${exactCount(waits.length)} longest are drawn.`]
      : []),
  ];
}

/** Which events of an incident are not listed; null: all are. */
export function unlistedText({ moreEvents }: Pick<IncidentDetail, 'moreEvents'>): string | null {
  return moreEvents > 0 ? `Not listed: ${plural(moreEvents, 'later event')}.` : null;
}

/** The proof that a holder's process had exited, and who reported it; null: there is none. */
function deathProof({ facts }: IncidentRow): { since: number; proof: string } | null {
  const [death] = facts.deaths ?? [];
  if (!death) return null;
  const { since, witness, evidence } = death;
  return { since, proof: `${visibleText(evidence)}, reported by ${visibleText(witness)}` };
}

/** How an incident of another lock is related to this one. */
export const RELATION_LABELS: Record<IncidentRelation, string> = {
  cause: 'the holder waited for this lock',
  effect: 'its holder waited for the lock of this incident',
  sameProcess: 'held by the same process',
};

/** Shortly before an incident was clear, when it had lasted longest. */
export function worstInstant({ beganAt, clearedAt, readAt }: IncidentRow): number {
  return Math.max(beganAt, (clearedAt ?? readAt) - 1_500);
}

/** Why it was an incident, as a sentence for later readers. */
export function incidentSentence(incident: IncidentRow): string {
  const { status, waitersMax, blockingMaxMs, facts } = incident;
  const { stuck, hold } = facts;
  const owner = hold ? visibleText(hold.owner) : 'The holder';
  const holder = hold?.host ? `${owner} on ${visibleText(hold.host)}` : owner;
  const upTo = waitersMax > 1 ? 'up to ' : '';
  const waited = waitersMax === 0 ? 'no waiters' : `${upTo}${plural(waitersMax, 'waiter')}`;
  if (stuck?.kind === 'longWait') {
    return `A waiter waited longer than the namespace limit of ${boundText(stuck.limitMs)}.`;
  }
  if (stuck?.kind === 'idleRenewals') {
    const wish = stuck.wish === 'asked' ? 'it was asked to release' : 'waiters had timed out';
    return `${holder} kept renewing after ${wish}.`;
  }
  if (stuck) {
    const heldUntil = hold?.endedAt ?? incident.clearedAt ?? incident.readAt;
    const heldMs = heldUntil - (hold?.grantedAt ?? incident.beganAt);
    const usual =
      stuck.p99Ms === null
        ? `the namespace limit is ${boundText(stuck.limitMs)}`
        : `usually under ${baselineText(stuck.p99Ms)}`;
    return `${holder} held the lock for ${pastDuration(heldMs)} (${usual}), with ${waited}.`;
  }
  if (status === 'expired') return `The lease of ${holder} expired without a release; ${waited}.`;
  if (status === 'orphaned')
    return `The process of ${holder} had exited without a release; ${waited}.`;
  if (status === 'contended') {
    return `Waits added up to ${pastDuration(blockingMaxMs)}, with ${waited}.`;
  }
  return `${holder} held the lock, with ${waited}.`;
}

/** The duration and size of an incident, for a list. */
export function incidentFigures(incident: IncidentRow): string {
  const lasted = lastedLabel(incident);
  if (lasted === JUST_BEGUN) return lasted;
  return incident.waiterMs < 1_000
    ? lasted
    : `${lasted}, ${plural(waiterSeconds(incident), 'waiter-second')}`;
}

/** Who acted, in a list of names; a dash where no operator did. */
export const actorsLabel = ({ actors }: Pick<IncidentRow, 'actors'>): string =>
  actors.length === 0 ? '–' : actors.map((name) => visibleText(name)).join(', ');
