import { describe, expect, it } from 'vitest';
import { RESEND_WITHIN_MS } from '../../client/waiting/grant-wait';
import { ANSWER_WITHIN_MS, HELD_OPEN_MS } from '../../client/wire/time-limits';
import { LEASE_MIN_MS } from '../contract/namespace-policy';
import { leaseFloorMs } from './lock/hold-lifecycle';
import * as timing from './timing';

/** Each must hold for the promise that it names; the smaller side is the first. */
const ORDERED: Record<string, [lower: number, upper: number][]> = {
  'an overdue command is answered within the promised time': [
    [
      timing.COMMAND_BUDGET_MS + timing.COMMAND_GRACE_MS + timing.DEADLINES_EVERY_MS,
      timing.ANSWER_MAX_MS,
    ],
  ],
  'a store call that begins within the budget ends within the promised time': [
    [timing.COMMAND_BUDGET_MS + timing.STORE_CALL_MAX_MS, timing.ANSWER_MAX_MS],
  ],
  'a command has time for a failed store call and another one': [
    [2 * timing.STORE_CALL_MAX_MS + timing.STORE_RETRY_MS, timing.COMMAND_BUDGET_MS],
  ],
  'a read has time left after it waited for an expiry to be recorded': [
    [timing.EXPIRE_BEFORE_READ_MAX_MS + timing.STORE_CALL_MAX_MS, timing.COMMAND_BUDGET_MS],
  ],
  'a client waits longer than the server takes': [
    [timing.ANSWER_MAX_MS, ANSWER_WITHIN_MS - 1],
    [timing.HOLD_REQUEST_MS, HELD_OPEN_MS],
  ],
  'a batch waits for less than the shortest lease has to be left': [
    [timing.BATCH_LINGER_MS, leaseFloorMs(LEASE_MIN_MS) - 1],
  ],
  'the shortest lease is no late grant when it begins': [
    [leaseFloorMs(LEASE_MIN_MS), LEASE_MIN_MS - 1],
  ],
  'one lost heartbeat declares no process dead': [
    [2 * timing.HEARTBEAT_EVERY_MS, timing.DEAD_AFTER_MS - 1],
  ],
  'a dead process delays its queue for no longer than promised': [
    [timing.DEAD_AFTER_MS + timing.WAITED_LOCKS_EVERY_MS, timing.DEAD_PROCESS_COST_MAX_MS],
  ],
  'an offer lasts for several checks by the process that it is made to': [
    [3 * timing.WAITED_LOCKS_EVERY_MS, timing.OFFER_MS],
    [3 * timing.MULTI_LOCKS_EVERY_MS, timing.OFFER_MS],
  ],
  'a place that a caller left costs its queue no more than a dead process, and outlasts an offer': [
    [timing.DETACHED_MS, timing.DEAD_PROCESS_COST_MAX_MS],
    [timing.OFFER_MS, timing.DETACHED_MS],
  ],
  'no write that takes a history id is committed after its gap is given up': [
    [timing.STORE_CALL_MAX_MS, timing.HISTORY_GAP_TIMEOUT_MS - 1],
  ],
  'a shard list refuses callers until every earlier command is answered': [
    [timing.ANSWER_MAX_MS, timing.SHARD_REFUSAL_MIN_MS],
  ],
  'an operator is answered before the client gives up, and not before the command is': [
    [
      timing.COMMAND_BUDGET_MS + timing.COMMAND_GRACE_MS + timing.DEADLINES_EVERY_MS,
      timing.ACT_ANSWER_MAX_MS,
    ],
    [timing.ACT_ANSWER_MAX_MS, timing.ANSWER_MAX_MS],
  ],
  'a command of an act that begins in time lands in time': [
    [timing.ACT_ANSWER_MAX_MS + timing.ANSWER_MAX_MS, timing.ACT_LANDS_WITHIN_MS],
  ],
  'an intent is final only when nothing of its act can land, clocks apart by as much': [
    [2 * timing.ACT_LANDS_WITHIN_MS, timing.INTENT_FINAL_AFTER_MS],
  ],
  'an intent has its outcome within the promised time, after a change of maintenance too': [
    [
      timing.INTENT_FINAL_AFTER_MS + 2 * timing.INTENTS_EVERY_MS + timing.MAINTENANCE_LEASE_MS,
      timing.INTENT_RESOLVED_WITHIN_MS,
    ],
  ],
  'an answer is remembered for longer than a client asks for it': [
    [RESEND_WITHIN_MS, timing.ANSWER_RETENTION_MS - 1],
  ],
  'maintenance keeps its lock over two lost renewals': [
    [3 * timing.MAINTENANCE_RENEW_EVERY_MS, timing.MAINTENANCE_LEASE_MS - 1],
  ],
  'an expired lease is recorded within the promised time': [
    [
      timing.EXPIRY_LEFT_TO_CALLERS_MS + timing.EXPIRY_SCAN_EVERY_MS,
      timing.EXPIRY_RECORDED_WITHIN_MS,
    ],
  ],
};

describe('the time constants are ordered so that', () => {
  it.each(Object.entries(ORDERED))('%s', (_, pairs) => {
    for (const [lower, upper] of pairs) expect(lower).toBeLessThanOrEqual(upper);
  });
});
