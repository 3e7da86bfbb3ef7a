import type { StuckReason } from '../../../core/status/stuck-reason';
import type { LockStatus } from '../console-terms';
import type { EventRow } from '../lock-row';
import type { LockTimeline } from './lock-timeline';

/**
 * A time during which a lock needed a person. It begins when the lock enters the tier *act now*, or
 * when its total blocking time passes 30 s, and ends when neither was so for 30 s. Instants are the
 * lock's backend's clock.
 */
export interface IncidentRow {
  id: number;
  backend: string;
  namespace: string;
  name: string;
  /** The worst status: `contended` where only the blocking time was too long. */
  status: LockStatus;
  beganAt: number;
  /** Since when nothing is wrong any more; null while something is. */
  clearedAt: number | null;
  /** As `clearedAt`, once 30 s have passed since; null while the incident is open. */
  endedAt: number | null;
  /** When the lock was seen last. */
  readAt: number;
  /** The sum over all waiters of how long each waited during the incident. */
  waiterMs: number;
  /** The most waiters at once. */
  waitersMax: number;
  /** The most total blocking time at once. */
  blockingMaxMs: number;
  /** The operators who acted on the lock meanwhile. */
  actors: string[];
  facts: IncidentFacts;
}

/** What was seen when it was worst. */
export interface IncidentFacts {
  stuck: StuckReason | null;
  hold: IncidentHold | null;
  /** The processes that were proven dead during it, in the order of the proofs; absent: none. */
  deaths?: ProvenDeath[];
}

/** Proof that the process of a hold had exited. */
export interface ProvenDeath {
  /** The token of the hold. */
  token: number;
  /** When the proof was first seen. */
  at: number;
  /** When the process exited, as far as the witness says. */
  since: number;
  witness: string;
  evidence: string;
}

/** The hold that was, or had been, in the way. */
export interface IncidentHold {
  service: string;
  owner: string;
  token: number;
  grantedAt: number;
  /** Absent: it had not ended with the incident, or its end was not seen. */
  endedAt?: number;
  host?: string;
  pid?: string;
}

export interface IncidentPage {
  rows: IncidentRow[];
  /** What to pass as `before` for the next, older page; null at the end. */
  older: number | null;
  /** How many are open, whatever the filter. */
  open: number;
  /** The server's clock when it was read. */
  asOf: number;
}

/**
 * What an incident of another lock is to this one. `cause`: the holder of this lock waited for that
 * one. `effect`: its holder waited for this lock. `sameProcess`: one process held both.
 */
export type IncidentRelation = 'cause' | 'effect' | 'sameProcess';

export interface RelatedIncident {
  relation: IncidentRelation;
  incident: IncidentRow;
}

/** An incident with what happened around it. */
export interface IncidentDetail {
  incident: IncidentRow;
  timeline: LockTimeline;
  /** The relevant events of the lock, oldest first; renewals and the like are left out. */
  events: EventRow[];
  /** How many more events there were after these. */
  moreEvents: number;
  /** Incidents of other locks at the same time that have to do with it. */
  related: RelatedIncident[];
  asOf: number;
}
