import { LockyardError } from '../../contract/errors';
import { joined } from '../../core/append';
import type {
  DecisionContext,
  Expectation,
  HandOff,
  Memo,
  MemoExtension,
} from '../../core/decision';
import type { RecordEvent } from '../../core/record-event';
import type { RecordKey } from '../../storage/record-store';
import { memoKey, type PendingCommand } from '../pending-command';
import { type AnyRecord, type KnownAny, machineOf } from '../record-type';
import { type Group, keyOf } from './batcher';
import type { KnownPlace } from './record-cache';

/** What one command will be told, once the record's swap has taken. */
export interface Outcome {
  pending: PendingCommand;
  /** The answer, or the refusal. */
  told: { answer: unknown } | { error: LockyardError };
  /** Whether this command changed the record. */
  changed: boolean;
}

/**
 * All commands of one record, decided one after another. Nothing of it is true before its swap has
 * taken.
 */
export interface Proposal {
  group: Group;
  key: RecordKey;
  /** Where the record is kept in mind. */
  place: KnownPlace;
  /** What it was decided from. */
  base: KnownAny | null;
  /** The backend's clock, as it was decided with. */
  now: number;
  /** The backend's epoch, likewise. */
  epoch: number;
  /** Null: nothing changes. */
  next: AnyRecord | null;
  expect: Expectation;
  outcomes: Outcome[];
  events: RecordEvent[];
  memos: Memo[];
  extensions: MemoExtension[];
  handOffs: HandOff[];
}

/**
 * Applies each command to what the one before it left.
 *
 * @param context as for a command of which nothing is remembered
 */
export function decideGroup(
  group: Group,
  place: KnownPlace,
  context: DecisionContext,
  memos: ReadonlyMap<string, Memo>,
): Proposal {
  const proposal: Proposal = {
    group,
    key: keyOf(group),
    place,
    base: place.known,
    now: context.now,
    epoch: context.epoch,
    next: null,
    expect: { past: 0, ahead: Number.POSITIVE_INFINITY },
    outcomes: [],
    events: [],
    memos: [],
    extensions: [],
    handOffs: [],
  };
  for (const pending of group.commands) {
    if (pending.progress.over) continue;
    const outcome = decideOne(proposal, pending, context, memos);
    proposal.outcomes = joined(proposal.outcomes, [outcome]);
  }
  return proposal;
}

function decideOne(
  proposal: Proposal,
  pending: PendingCommand,
  context: DecisionContext,
  memos: ReadonlyMap<string, Memo>,
): Outcome {
  const key = memoKey(pending.command);
  const madeHere = () => proposal.memos.findLast((memo) => memo.key === key);
  const remembered = key === null ? null : (madeHere() ?? memos.get(key) ?? null);
  const record = proposal.next ?? proposal.base?.record ?? null;
  try {
    const machine = machineOf(pending.key);
    const all = remembered ? { ...context, remembered } : context;
    const decision = machine.decide(record, pending.command, all);
    const { expect } = proposal;
    if (decision.next) {
      proposal.next = decision.next;
      expect.past = Math.max(expect.past, decision.expect.past);
      expect.ahead = Math.min(expect.ahead, decision.expect.ahead);
      proposal.events = joined(proposal.events, decision.events);
      proposal.memos = joined(proposal.memos, decision.memos);
      proposal.extensions = joined(proposal.extensions, decision.extensions);
      proposal.handOffs = joined(proposal.handOffs, decision.handOffs);
    }
    return { pending, told: { answer: decision.answer }, changed: decision.next !== null };
  } catch (error) {
    if (error instanceof LockyardError) return { pending, told: { error }, changed: false };
    const internal = new LockyardError('INTERNAL', 'This command could not be decided.', {
      cause: error,
    });
    return { pending, told: { error: internal }, changed: false };
  }
}
