/**
 * How it was seen that a store has lost its memory.
 *
 * - `empty`: the mark that Lockyard leaves there is gone.
 * - `stranger`: it carries a mark of another life, or has records while nothing is known of it.
 * - `older`: it carries an older sign of life than the control database, as after a copy was put back.
 * - `restarted`: it began anew without having flushed everything, so its last writes may be lost.
 * - `replaced`: the same server has since taken over the memory of another one.
 * - `evicted`: it has evicted keys to make room.
 * - `records`: its list of records and the records do not agree.
 */
export type LossKind =
  | 'empty'
  | 'stranger'
  | 'older'
  | 'restarted'
  | 'replaced'
  | 'evicted'
  | 'records';

/** The last time that a backend was seen to have lost its memory. Instants are the backend's clock. */
export interface BackendLoss {
  at: number;
  what: LossKind;
  /** No lock is granted before this instant: until then somebody may hold one that was forgotten. */
  grantsFrom: number;
}

/** The same as it is shown: how long ago, and for how much longer nothing is granted because of it. */
export interface BackendLossRow {
  at: number;
  what: LossKind;
  agoMs: number;
  quietForMs: number;
}

/** @param now the backend's clock */
export function backendLossRow({ at, what, grantsFrom }: BackendLoss, now: number): BackendLossRow {
  return { at, what, agoMs: Math.max(0, now - at), quietForMs: Math.max(0, grantsFrom - now) };
}

/** What happened, for people. */
export const LOSS_WORDS: Record<LossKind, string> = {
  empty: 'It was found empty.',
  stranger: 'It was found with the records of another installation, or of an earlier one.',
  older: 'An older copy of its data was put back.',
  restarted: 'It was restarted, and its last writes may be lost.',
  replaced: 'It took over the memory of another server.',
  evicted: 'It evicted keys because its memory was full.',
  records: 'Some of its records were deleted by somebody else.',
};
