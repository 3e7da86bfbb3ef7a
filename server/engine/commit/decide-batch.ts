import { LockyardError } from '../../contract/errors';
import { append } from '../../core/append';
import type {
  DecisionContext,
  Expectation,
  HandOff,
  IdempotencyExtension,
  IdempotencyRecord,
} from '../../core/decision';
import type { RecordEvent } from '../../core/record-event';
import type { RecordKey } from '../../storage/record-store';
import { idempotencyKey, type PendingCommand } from '../pending-command';
import { type AnyKnownRecord, type AnyRecord, recordTypeOf } from '../record-type';
import { isStaleRead, notRun } from '../refusals';
import { type CommandGroup, keyOfGroup } from './batcher';
import type { CacheEntry } from './record-cache';

/** The reply to one command once the record's swap is applied. */
export interface CommandOutcome {
  pending: PendingCommand;
  /**
   * The answer, or the refusal. A refusal that is not sure relies on a record or a clock that may
   * be behind, which the swap does not test: the command is decided again from a new read.
   */
  reply: { answer: unknown } | { error: LockyardError; isSure: boolean };
  /** Whether this command changed the record. */
  changed: boolean;
}

/** All commands of one record, decided in order. It takes effect only once its swap is applied. */
export interface Proposal {
  group: CommandGroup;
  key: RecordKey;
  /** The cache entry of the record. */
  entry: CacheEntry;
  /** The record from which it was decided; null: there was none. */
  base: AnyKnownRecord | null;
  /** The backend's clock that the decision used. */
  now: number;
  /** The backend's epoch that the decision used. */
  epoch: number;
  /** Null: nothing changes. */
  next: AnyRecord | null;
  expect: Expectation;
  outcomes: CommandOutcome[];
  events: RecordEvent[];
  storedAnswers: IdempotencyRecord[];
  extensions: IdempotencyExtension[];
  /** Requests that were decided as if they had no stored answer, without reading it. */
  unanswered: string[];
  handOffs: HandOff[];
  timeouts: string[];
}

/**
 * Decides the commands one after another, each from the record that the one before it left.
 *
 * @param context with `storedAnswer` null, which is set for each command
 * @param storedAnswers those to the commands' requests, by their keys; null: they were not read, so
 *   the swap must verify that there are none
 */
export function decideBatch(
  group: CommandGroup,
  { entry, base }: Pick<Proposal, 'entry' | 'base'>,
  context: DecisionContext,
  storedAnswers: ReadonlyMap<string, IdempotencyRecord> | null,
): Proposal {
  const proposal: Proposal = {
    group,
    key: keyOfGroup(group),
    entry,
    base,
    now: context.now,
    epoch: context.epoch,
    next: null,
    expect: { past: 0, ahead: Number.POSITIVE_INFINITY },
    outcomes: [],
    events: [],
    storedAnswers: [],
    extensions: [],
    unanswered: [],
    handOffs: [],
    timeouts: [],
  };
  for (const pending of group.commands) {
    if (pending.isAnswered) continue;
    const outcome = decideCommand(proposal, pending, context, storedAnswers);
    proposal.outcomes = append(proposal.outcomes, [outcome]);
  }
  return proposal;
}

function decideCommand(
  proposal: Proposal,
  pending: PendingCommand,
  context: DecisionContext,
  storedAnswers: ReadonlyMap<string, IdempotencyRecord> | null,
): CommandOutcome {
  const storedAnswer = storedAnswerFor(pending, proposal, storedAnswers);
  const record = proposal.next ?? proposal.base?.record ?? null;
  try {
    const recordType = recordTypeOf(pending.key);
    const ownContext = storedAnswer ? { ...context, storedAnswer } : context;
    const decision = recordType.decide(record, pending.command, ownContext);
    const { expect } = proposal;
    // A refusal relies on its deadlines too: the clock may only be a lower bound.
    expect.past = Math.max(expect.past, decision.expect.past);
    expect.ahead = Math.min(expect.ahead, decision.expect.ahead);
    if (decision.next) {
      proposal.next = decision.next;
      proposal.events = append(proposal.events, decision.events);
      proposal.storedAnswers = append(proposal.storedAnswers, decision.storedAnswers);
      proposal.extensions = append(proposal.extensions, decision.extensions);
      proposal.handOffs = append(proposal.handOffs, decision.handOffs);
      proposal.timeouts = append(proposal.timeouts, decision.timeouts);
    }
    return { pending, reply: { answer: decision.answer }, changed: decision.next !== null };
  } catch (error) {
    const refusal = error instanceof LockyardError ? error : notRun(error);
    const isSure = storedAnswers !== null && !isStaleRead(refusal);
    return { pending, reply: { error: refusal, isSure }, changed: false };
  }
}

/** The answer stored for this command's request, in this batch or before it. */
function storedAnswerFor(
  { command }: PendingCommand,
  proposal: Proposal,
  storedAnswers: ReadonlyMap<string, IdempotencyRecord> | null,
): IdempotencyRecord | null {
  const key = idempotencyKey(command);
  if (key === null) return null;
  const own = proposal.storedAnswers.findLast((one) => one.key === key);
  if (own) return own;
  if (storedAnswers) return storedAnswers.get(key) ?? null;
  proposal.unanswered = append(proposal.unanswered, [key]);
  return null;
}

/**
 * Selects the commands to refuse when the record that they produced is too large for its store: the
 * newer half of the acquires, because only acquires make it grow without bounds. The others are
 * decided again without them, so that acquires of other callers never prevent a release or a
 * renewal. Without any acquire: all commands that changed the record.
 */
export function selectOversize(outcomes: readonly CommandOutcome[]): ReadonlySet<PendingCommand> {
  const changing = outcomes.filter(({ changed }) => changed).map(({ pending }) => pending);
  const acquires = changing.filter(({ command }) => command.verb === 'acquire');
  const kept = Math.floor(acquires.length / 2);
  return new Set(acquires.length > 0 ? acquires.slice(kept) : changing);
}

/** Notes which of these commands may have been applied. */
export function markMayBeApplied(
  outcomes: readonly CommandOutcome[],
  mayBeApplied: (outcome: CommandOutcome) => boolean,
): void {
  for (const outcome of outcomes) outcome.pending.mayBeApplied = mayBeApplied(outcome);
}
