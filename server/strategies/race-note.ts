/**
 * Called by a strategy for each of these events of an attempt, so that a race can count them.
 *
 * - `conflict`: another caller had the lock, or had changed the row since it was read.
 * - `deadlock`: the database rolled the attempt back to break a deadlock.
 * - `retry`: the strategy tries again.
 */
export type RaceNote = (what: 'conflict' | 'deadlock' | 'retry') => void;
