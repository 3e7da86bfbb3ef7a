import type { StuckReason } from '../../../core/status/stuck-reason';
import type { LockStatus } from '../console-terms';
import type { EventRow } from '../lock-row';
import type { LockTimeline } from './lock-timeline';

/**
 * A period during which a lock needed a person. It begins when the lock enters the tier *act now*,
 * or when its total blocking time exceeds 30 s, and ends once neither has been true for 30 s.
 * Instants are the clock of the lock's backend.
 */
export interface IncidentRow {
  id: number;
  backend: string;
  namespace: string;
  name: string;
  /** The worst status: `contended` if only the blocking time was too long. */
  status: LockStatus;
  beganAt: number;
  /** Since when nothing has been wrong; null while something is. */
  clearedAt: number | null;
  /** As `clearedAt`, once 30 s have passed since; null while the incident is open. */
  endedAt: number | null;
  /** When the lock was last read. */
  readAt: number;
  /** The sum of the times for which all callers waited during the incident. */
  waiterMs: number;
  /** The highest number of waiters. */
  waitersMax: number;
  /** The longest total blocking time. */
  blockingMaxMs: number;
  /** The operators who acted on the lock meanwhile. */
  actors: string[];
  facts: IncidentFacts;
}

/** The facts of an incident, as of its worst status. */
export interface IncidentFacts {
  stuck: StuckReason | null;
  hold: IncidentHold | null;
  /** The deaths that were proven during the incident, in the order of the proofs; absent: none. */
  deaths?: ProvenDeath[];
}

/** Proof that the process of a hold had exited. */
export interface ProvenDeath {
  /** The token of the hold. */
  token: number;
  /** When the proof was first seen. */
  at: number;
  /** When the process exited, according to the witness. */
  since: number;
  witness: string;
  evidence: string;
}

/** The hold that blocked the lock, or had blocked it. */
export interface IncidentHold {
  service: string;
  owner: string;
  token: number;
  grantedAt: number;
  /** Absent: it had not ended by the end of the incident, or its end was not seen. */
  endedAt?: number;
  host?: string;
  pid?: string;
}

export interface IncidentPage {
  rows: IncidentRow[];
  /** The `before` of the next, older page; null on the last page. */
  older: number | null;
  /** How many incidents are open, whatever the filter. */
  open: number;
  /** The server's clock when it was read. */
  asOf: number;
}

/**
 * How an incident of another lock is related. `cause`: the holder of this lock waited for the other
 * one. `effect`: the holder of the other one waited for this. `sameProcess`: one process held both.
 */
export type IncidentRelation = 'cause' | 'effect' | 'sameProcess';

export interface RelatedIncident {
  relation: IncidentRelation;
  incident: IncidentRow;
}

/** An incident with its timeline, its events and related incidents. */
export interface IncidentDetail {
  incident: IncidentRow;
  timeline: LockTimeline;
  /** The relevant events of the lock, oldest first, without renewals and the like. */
  events: EventRow[];
  /** How many more events there were after these. */
  moreEvents: number;
  /** Incidents of other locks at the same time that are related. */
  related: RelatedIncident[];
  asOf: number;
}
