/** Time constants that depend on one another, in milliseconds: see `timing.test.ts`. */

/** A call is answered within this time, or within this after the wait that it asked for. */
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

/** The same where multi-locks wait: one of them may need many turns where others need one. */
export const MULTI_LOCKS_EVERY_MS = 50;

/** A dead process delays its queue by no more. */
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

/** Nothing of an operator's act lands later than this after its intent was asked for. */
export const ACT_LANDS_WITHIN_MS = 10_000;

/**
 * So long after its intent nothing of an act can still land: half of it before, see
 * `runAuditedAct`, and what landed can be read by now. A transaction of the control database takes
 * less.
 */
export const INTENT_FINAL_AFTER_MS = 20_000;

/** How often the outcomes of open intents are looked for. */
export const INTENTS_EVERY_MS = 10_000;

/** An intent has its outcome within this time. */
export const INTENT_RESOLVED_WITHIN_MS = 60_000;

/** The lease of the lock whose holder does the maintenance. */
export const MAINTENANCE_LEASE_MS = 1_500;
export const MAINTENANCE_RENEW_EVERY_MS = 400;

/** Processes know the clock of a backend with such errors: one that is set back is so by more. */
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
 * A step that was sent to MySQL cannot land later than this after the gate received it: every
 * command is answered within `ANSWER_MAX_MS`. So long a gate that was wiped refuses nothing, and so
 * long at least a crashed process's steps under way stay in the estimate.
 */
export const GATE_STEP_MAX_MS = 6_000;

/** A gate refuses by a value only for this long after a read of MySQL has confirmed its bounds. */
export const GATE_FRESH_MS = 8_000;

/** A value in use is read from MySQL again when its last reading is this old. */
export const GATE_REFRESH_MS = 3_000;

/** A process that was to read a value again and has not is replaced by another after this time. */
export const GATE_CLAIM_MS = 2_000;

/**
 * A sold-out counter whose reading is due again is asked for this often; before, only whether it
 * has changed.
 */
export const GATE_ASK_AGAIN_MS = 300;

/** Values to be read again wait this long for company: one read serves many of them. */
export const GATE_COMPANY_MS = 500;

/** What a gate knows wrongly is repaired within this time, also after a wipe. */
export const GATE_REPAIRED_WITHIN_MS = 10_000;
