/** Time constants that depend on each other, in milliseconds: see `timing.test.ts`. */

/** A call is answered within this time, plus the wait that it asked for. */
export const ANSWER_MAX_MS = 5_000;

/** The timeout of one store call, after which its connection is closed. */
export const STORE_CALL_MAX_MS = 1_500;

/** How long a command may begin store calls. */
export const COMMAND_BUDGET_MS = 3_500;

/** How long past its budget a command is still waited for, so that its store call can end. */
export const COMMAND_GRACE_MS = 1_100;

/** How often the engine checks for overdue commands. */
export const DEADLINES_EVERY_MS = 100;

/** How long a smaller batch waits for more commands during another commit, which may hang. */
export const BATCH_LINGER_MS = 20;

/** The pause before a failed store call is repeated. */
export const STORE_RETRY_MS = 50;

/** How long a read waits for the write of an expired lease: the backend may refuse writes. */
export const EXPIRE_BEFORE_READ_MAX_MS = 1_000;

export const HEARTBEAT_EVERY_MS = 500;

/** A process whose last heartbeat is this old counts as dead, by the backend's clock. */
export const DEAD_AFTER_MS = 1_500;

/** How often a process checks the locks that its own callers wait for. */
export const WAITED_LOCKS_EVERY_MS = 250;

/** The same while multi-locks wait: one may need many turns where a single acquire needs one. */
export const MULTI_LOCKS_EVERY_MS = 50;

/** The longest time by which a dead process delays the queues of its waiters. */
export const DEAD_PROCESS_COST_MAX_MS = 2_000;

/** How long a free lock is reserved for a waiter of another process. */
export const OFFER_MS = 1_000;

/** How long a waiter keeps its place between two calls of one request. */
export const DETACHED_MS = 2_000;

/** How long one call is held open at most; longer waits ask again with the same request id. */
export const HOLD_REQUEST_MS = 25_000;

/** How long answers are kept after the hold, wait or step that they concern has ended. */
export const ANSWER_RETENTION_MS = 15 * 60_000;

/** A missing history id younger than this may still be committed: ids are assigned first. */
export const HISTORY_GAP_TIMEOUT_MS = 5_000;

/**
 * Once shards refuse callers they do so for at least this long: every command that was decided
 * before is answered by then, so none of them is written under the next epoch.
 */
export const SHARD_REFUSAL_MIN_MS = 5_000;

/** An operator gets an answer within this time, even if database and backend do not respond. */
export const ACT_ANSWER_MAX_MS = 4_700;

/** No part of an operator's action is applied later than this after its intent was requested. */
export const ACT_LANDS_WITHIN_MS = 10_000;

/**
 * Once its intent is this old, the outcome of an action is final: no part of it is applied after
 * half of this time, see `runAuditedAct`, and a transaction of the control database takes less than
 * the other half, so that everything that was applied can be read.
 */
export const INTENT_FINAL_AFTER_MS = 20_000;

/** How often the outcomes of open intents are looked up. */
export const INTENTS_EVERY_MS = 10_000;

/** An intent gets its outcome within this time. */
export const INTENT_RESOLVED_WITHIN_MS = 60_000;

/** The lease of the lock whose holder does the maintenance. */
export const MAINTENANCE_LEASE_MS = 1_500;
export const MAINTENANCE_RENEW_EVERY_MS = 400;

/** The error of a process's estimate of a backend's clock: a smaller step back is ignored. */
export const CLOCK_ERROR_MS = 5_000;

/** How often maintenance ends the expired holds that no process touches. */
export const EXPIRY_SCAN_EVERY_MS = 300;

/**
 * The scan skips leases that expired less than this ago: the next caller records the expiry in the
 * same commit as its own command. The rest of the promised time is for the scan and its commit.
 */
export const EXPIRY_LEFT_TO_CALLERS_MS = 1_200;

/** An expired lease that no caller touches is recorded within this time. */
export const EXPIRY_RECORDED_WITHIN_MS = 2_000;

/** A gate that does not answer within this time is bypassed until it answers again. */
export const GATE_ANSWER_MAX_MS = 100;

/**
 * A step cannot be applied in MySQL later than this after the gate received it, since every command
 * is answered within `ANSWER_MAX_MS`. A gate that was wiped refuses nothing for this time, and the
 * steps under way of a crashed process stay in the estimate for at least this time.
 */
export const GATE_STEP_MAX_MS = 6_000;

/** How long a gate refuses steps by a value after a read of MySQL has confirmed its bounds. */
export const GATE_FRESH_MS = 8_000;

/** A value in use is read from MySQL again once its last reading is this old. */
export const GATE_REFRESH_MS = 3_000;

/** If the process that is to read a value again does not, another one is chosen after this time. */
export const GATE_CLAIM_MS = 2_000;

/**
 * How often the state of a sold-out counter is fetched once its reading is due again; before that,
 * the gate is only asked whether it has changed.
 */
export const GATE_ASK_AGAIN_MS = 300;

/** How long values to be read again are collected, so that one packet reads many of them. */
export const GATE_LINGER_MS = 500;

/** A wrong value of a gate is repaired within this time, also after a wipe. */
export const GATE_REPAIRED_WITHIN_MS = 10_000;
