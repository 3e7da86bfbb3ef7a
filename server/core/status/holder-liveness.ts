import { timesText } from '../format/numbers';
import { type Hold, isReleased } from '../lock/lock-record';

/** The state of a holder's process, as far as is known. It is `dead` only with proof. */
export const LIVENESS_STATES = ['alive', 'dead', 'unknown'] as const;
export type LivenessState = (typeof LIVENESS_STATES)[number];

/** The source of a verdict: the hold's renewals, `lockyard witness` on its machine, or a URL. */
export type WitnessKind = 'renewals' | 'host' | 'url';

/** Older evidence says nothing about the present, except a death, which stays proven. */
export const EVIDENCE_FRESH_MS = 30_000;

/** A renewal that arrives this soon after a proof of death may have been sent before it. */
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
  /** When it first reported this state, with no other state since. */
  firstAt: number;
  /** When it last reported this state. */
  at: number;
  /** Since when the process is in this state, by the witness; null: it does not report that. */
  since: number | null;
  /** What it saw, as text for people. */
  evidence: string;
}

/** What is known about a holder's process. Instants are the clock of the hold's backend. */
export interface LivenessVerdict {
  state: LivenessState;
  /** The source of the verdict; null: there is no evidence. */
  kind: WitnessKind | null;
  /** The name of the witness; null for renewals and without evidence. */
  witness: string | null;
  evidence: string;
  /** Since when the process is in this state; null: unknown. */
  since: number | null;
  /** When the evidence was reported; null: there is none. */
  at: number | null;
}

/** The part of a hold that a verdict depends on. */
export type HoldForLiveness = Pick<Hold, 'grantedAt' | 'renewedAt' | 'renewals'>;

/**
 * Whether the process that a hold names is alive at `now`, the backend's clock.
 *
 * - Never `dead` because of age or silence: only a report proves a death.
 * - What the kernel of the holder's machine reports outweighs what a URL reports on its pod or run.
 * - A death counts however old the report is, unless the hold was renewed after it: then another
 *   process renews it.
 * - All other evidence counts for 30 s. A clock jump makes evidence older but never proves a death.
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

/** The reports that prove a holder dead, one of each kind; empty if it may be alive. */
export function deathWitnesses(
  hold: HoldForLiveness,
  reports: readonly WitnessReport[],
  now: number,
): WitnessReport[] {
  if (livenessOf(hold, reports, now).state !== 'dead') return [];
  const deaths = reports.filter((report) => provesDeath(report, hold));
  return deaths.filter(({ kind }, i) => deaths.findIndex((other) => other.kind === kind) === i);
}

/** Why a lock is orphaned. Instants are its backend's clock. */
export interface OrphanReason {
  /** The hold of the dead process; of several, the one that was granted first. */
  token: number;
  since: number;
  witness: string;
  evidence: string;
  /** How many holders of the lock are dead. */
  dead: number;
}

/**
 * Why a lock is orphaned at `now`: the process of a live hold is proven dead, with or without
 * waiters; null if none is. A hold that was released and only keeps the lock taken needs no
 * process.
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

/** Whether a report proves this holder dead. A death before the grant was an earlier process's. */
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
