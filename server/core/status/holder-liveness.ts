import { timesText } from '../format/numbers';
import { type Hold, isReleased } from '../lock/lock-record';

/** The state of a holder's process, as far as is known. It is `dead` only with proof. */
export const LIVENESS_STATES = ['alive', 'dead', 'unknown'] as const;
export type LivenessState = (typeof LIVENESS_STATES)[number];

/** The source of a verdict: the hold's renewals, `lockyard witness` on its machine, or a URL. */
export type WitnessKind = 'renewals' | 'host' | 'url';

/** Older evidence says nothing about now. Death is the exception: it stays proven. */
export const EVIDENCE_FRESH_MS = 30_000;

/** A renewal that arrives this soon after a proof of death may have been sent before. */
const IN_FLIGHT_MS = 2_000;

/**
 * The last report of one witness on a holder's process. Instants are the clock of the hold's
 * backend.
 */
export interface WitnessReport {
  kind: 'host' | 'url';
  /** The name of its API key, or the id of its URL. */
  witness: string;
  state: LivenessState;
  /** When it first reported this state, without another one since. */
  firstAt: number;
  /** When it last reported this state. */
  at: number;
  /** Since when the state lasts, according to the witness; null: it does not report that. */
  since: number | null;
  /** What it saw, for people. */
  evidence: string;
}

/** What is known of a holder's process. Instants are the clock of the hold's backend. */
export interface LivenessVerdict {
  state: LivenessState;
  /** The source of the verdict; null: there is no evidence. */
  kind: WitnessKind | null;
  /** The name of the witness; null for renewals, and where there is none. */
  witness: string | null;
  evidence: string;
  /** Since when the state lasts, as far as is known. */
  since: number | null;
  /** When the evidence was given: how old it is. */
  at: number | null;
}

/** The part of a hold that a verdict depends on. */
export type HoldForLiveness = Pick<Hold, 'grantedAt' | 'renewedAt' | 'renewals'>;

/**
 * Whether the process that a hold names is alive at `now`, the backend's clock.
 *
 * - Never `dead` because of age or silence: only a report proves that.
 * - What the kernel of the holder's machine reports outweighs what a URL reports on its pod or run.
 * - Dead stays dead, however old the report is, unless the hold was renewed after it: then another
 *   process keeps it.
 * - Everything else counts for 30 s. A jump of a clock makes evidence older, and never makes death.
 */
export function livenessOf(
  hold: HoldForLiveness,
  reports: readonly WitnessReport[],
  now: number,
): LivenessVerdict {
  const isFresh = (at: number) => Math.abs(now - at) <= EVIDENCE_FRESH_MS;
  const deaths = reports.filter((report) => provesDeath(report, hold));
  const kernel = deaths.find(({ kind }) => kind === 'host');
  if (kernel) return verdictOf(kernel);
  const alive = latest(reports.filter(({ state, at }) => state === 'alive' && isFresh(at)));
  const [death] = deaths;
  if (death && alive && alive.at >= death.firstAt) return disagreement(death, alive);
  if (death) return verdictOf(death);
  const { renewals, renewedAt } = hold;
  if (renewals > 0 && isFresh(renewedAt) && renewedAt >= (alive?.at ?? 0)) {
    const evidence = `renewed ${timesText(renewals)}`;
    const renewed = { kind: 'renewals', witness: null, evidence, since: null } as const;
    return { state: 'alive', ...renewed, at: renewedAt };
  }
  if (alive) return verdictOf(alive);
  const last = latest(reports.filter(({ state }) => state !== 'dead'));
  if (last) return { ...verdictOf(last), state: 'unknown', since: null };
  return {
    state: 'unknown',
    kind: null,
    witness: null,
    evidence: 'no witness has reported on this process',
    since: null,
    at: null,
  };
}

/** The witnesses that prove a holder dead, one of each kind; empty if it may live. */
export function deathWitnesses(
  hold: HoldForLiveness,
  reports: readonly WitnessReport[],
  now: number,
): WitnessReport[] {
  if (livenessOf(hold, reports, now).state !== 'dead') return [];
  const deaths = reports.filter((report) => provesDeath(report, hold));
  return deaths.filter(({ kind }, i) => deaths.findIndex((each) => each.kind === kind) === i);
}

/** Why a lock is orphaned. Instants are its backend's clock. */
export interface OrphanReason {
  /** The hold of the process that is dead; of several, the first one granted. */
  token: number;
  since: number;
  witness: string;
  evidence: string;
  /** How many of its holders are dead. */
  dead: number;
}

/**
 * Why a lock is orphaned at `now`: the process of a live hold is proven dead. Null if none is. No
 * waiter is needed. A hold that was released, and is only kept for a while, needs no process.
 */
export function orphanReason(
  holds: readonly Hold[],
  reportsOn: (hold: Hold) => readonly WitnessReport[],
  now: number,
): OrphanReason | null {
  let reason: OrphanReason | null = null;
  for (const hold of holds) {
    if (hold.expiresAt <= now || isReleased(hold)) continue;
    const reports = reportsOn(hold);
    if (reports.length === 0) continue;
    const { state, since, at, witness, evidence } = livenessOf(hold, reports, now);
    if (state !== 'dead') continue;
    if (reason) reason.dead += 1;
    else {
      const { token } = hold;
      reason = { token, since: since ?? at ?? now, witness: witness ?? '', evidence, dead: 1 };
    }
  }
  return reason;
}

/** A death before the grant is that of an earlier process with the same name. */
function provesDeath(report: WitnessReport, { grantedAt, renewedAt }: HoldForLiveness): boolean {
  if (report.state !== 'dead') return false;
  if (report.since !== null && report.since < grantedAt) return false;
  return renewedAt <= report.firstAt + IN_FLIGHT_MS;
}

function latest(reports: readonly WitnessReport[]): WitnessReport | null {
  return reports.reduce<WitnessReport | null>(
    (last, report) => (last && last.at >= report.at ? last : report),
    null,
  );
}

function verdictOf({ state, kind, witness, evidence, ...times }: WitnessReport): LivenessVerdict {
  const since = times.since ?? times.firstAt;
  return { state, kind, witness, evidence, since, at: times.at };
}

function disagreement(death: WitnessReport, alive: WitnessReport): LivenessVerdict {
  const evidence = `witnesses disagree: ${death.witness} says dead, ${alive.witness} says alive`;
  const { kind, witness, at } = alive;
  return { state: 'unknown', kind, witness, evidence, since: null, at };
}
