/** Time constants that depend on one another, in milliseconds: see `timing.test.ts`. */

/** A call is answered within this time, plus the wait that it asked for. */
export const ANSWER_MAX_MS = 5_000;

/** One call of a store takes no longer; then its connection is closed. */
export const STORE_CALL_MAX_MS = 1_500;

/** Time in which a command may begin a store call. */
export const COMMAND_BUDGET_MS = 3_500;

/** How long past its budget a command may still be waited for: until its store call ends. */
export const COMMAND_GRACE_MS = 1_100;

/** How often overdue commands are looked for. */
export const DEADLINES_EVERY_MS = 100;

/** How long a smaller batch waits for more while another is committed, which may hang. */
export const BATCH_COMPANY_MS = 20;

/** A call of a store that failed is repeated after this pause. */
export const STORE_RETRY_MS = 50;

/** How long a read waits for the write of an expired lease: the backend may take no writes. */
export const EXPIRE_BEFORE_READ_MAX_MS = 1_000;

export const HEARTBEAT_EVERY_MS = 500;

/** A process whose last heartbeat is this old counts as dead, by the backend's clock. */
export const DEAD_AFTER_MS = 1_500;

/** How often a process checks the locks that its own callers wait for. */
export const WAITED_LOCKS_EVERY_MS = 250;

/** The same while multi-locks wait: one of them may need many turns where others need one. */
export const MULTI_LOCKS_EVERY_MS = 50;

/** The longest time by which a dead process delays the queues of its waiters. */
export const DEAD_PROCESS_COST_MAX_MS = 2_000;

/** How long a free lock is reserved for a waiter of another process. */
export const OFFER_MS = 1_000;

/** How long a place is kept between two calls of one request. */
export const DETACHED_MS = 2_000;

/** How long one call may be held open; longer waits ask again with the same request id. */
export const HOLD_REQUEST_MS = 25_000;

/** How long answers are kept after the hold, wait or step that they concern is over. */
export const ANSWER_RETENTION_MS = 15 * 60_000;

/** A missing history id younger than this may still be committed: ids precede commits. */
export const HISTORY_GAP_TIMEOUT_MS = 5_000;

/**
 * Once shards refuse their callers they do so for at least this long: every command that was
 * decided before is answered by then, so none of them is written under the next epoch.
 */
export const SHARD_REFUSAL_MIN_MS = 5_000;

/** An operator gets an answer within this time, whatever database and backend do. */
export const ACT_ANSWER_MAX_MS = 4_700;

/** No part of an operator's act is applied later than this after its intent was requested. */
export const ACT_LANDS_WITHIN_MS = 10_000;

/**
 * From this age of its intent on, the outcome of an act is final: no part of it is applied after
 * half of this time, see `runAuditedAct`, and a transaction of the control database takes less than
 * the other half, so that everything applied can be read.
 */
export const INTENT_FINAL_AFTER_MS = 20_000;

/** How often the outcomes of open intents are looked for. */
export const INTENTS_EVERY_MS = 10_000;

/** An intent has its outcome within this time. */
export const INTENT_RESOLVED_WITHIN_MS = 60_000;

/** The lease of the lock whose holder does the maintenance. */
export const MAINTENANCE_LEASE_MS = 1_500;
export const MAINTENANCE_RENEW_EVERY_MS = 400;

/** The error with which a process knows a backend's clock: only a larger step back is one. */
export const CLOCK_ERROR_MS = 5_000;

/** How often maintenance ends the expired holds that no process touches. */
export const EXPIRY_SCAN_EVERY_MS = 300;

/**
 * A lease that expired less than this ago is left to the next caller, who records it in the same
 * commit. The rest of the promised time is for the scan and its commit.
 */
export const EXPIRY_LEFT_TO_CALLERS_MS = 1_200;

/** An expired lease that no caller touches is recorded within this time. */
export const EXPIRY_RECORDED_WITHIN_MS = 2_000;

/** A gate that has not answered within this time is left out until it answers again. */
export const GATE_ANSWER_MAX_MS = 100;

/**
 * A step that was sent to MySQL cannot be applied later than this after the gate received it: every
 * command is answered within `ANSWER_MAX_MS`. For this time a gate that was wiped refuses nothing,
 * and a crashed process's steps under way stay in the estimate for at least this time.
 */
export const GATE_STEP_MAX_MS = 6_000;

/** How long a gate refuses by a value after a read of MySQL has confirmed its bounds. */
export const GATE_FRESH_MS = 8_000;

/** A value in use is read from MySQL again when its last reading is this old. */
export const GATE_REFRESH_MS = 3_000;

/** If the process that is to read a value again does not, another one is chosen after this time. */
export const GATE_CLAIM_MS = 2_000;

/**
 * How often the state of a sold-out counter is asked for once its reading is due again; before
 * that, the gate is only asked whether it has changed.
 */
export const GATE_ASK_AGAIN_MS = 300;

/** How long values to be read again are collected: one packet reads many of them. */
export const GATE_COMPANY_MS = 500;

/** A wrong value of a gate is repaired within this time, also after a wipe. */
export const GATE_REPAIRED_WITHIN_MS = 10_000;
