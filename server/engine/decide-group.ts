import type {
  DecisionContext,
  Expectation,
  HandOff,
  Memo,
  MemoExtension,
} from '../domain/decision';
import { LockyardError } from '../domain/errors';
import type { RecordEvent } from '../domain/record-event';
import type { Group } from './lane';
import { type AnyRecord, type KnownAny, machineOf } from './machine';
import { memoKey, type PendingCommand } from './pending-command';

/** What one command will be told, once the record's swap has taken. */
export interface Outcome {
  pending: PendingCommand;
  /** The answer, or the refusal. */
  told: { answer: unknown } | { error: LockyardError };
  /** Whether this command changed the record. */
  changed: boolean;
}

/** All commands of one record, decided one after another. Nothing of it is true before its swap has taken. */
export interface Proposal {
  group: Group;
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

/** What a group is decided with, apart from each command's own. */
export type GroupContext = Omit<DecisionContext, 'remembered'>;

/** Applies each command to what the one before it left. */
export function decideGroup(
  group: Group,
  base: KnownAny | null,
  context: GroupContext,
  memos: ReadonlyMap<string, Memo>,
): Proposal {
  const proposal: Proposal = {
    group,
    base,
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
    proposal.outcomes.push(decideOne(proposal, pending, context, memos));
  }
  return proposal;
}

function decideOne(
  proposal: Proposal,
  pending: PendingCommand,
  context: GroupContext,
  memos: ReadonlyMap<string, Memo>,
): Outcome {
  const key = memoKey(pending.command);
  const madeHere = () => proposal.memos.findLast((memo) => memo.key === key);
  const remembered = key === null ? null : (madeHere() ?? memos.get(key) ?? null);
  const record = proposal.next ?? proposal.base?.record ?? null;
  try {
    const machine = machineOf(pending.key);
    const { now, epoch, process, isAlive, callerOf, policy } = context;
    // Written out: a copy by spreading costs as much as all that is decided with it.
    const all = { now, epoch, process, isAlive, callerOf, policy, remembered };
    const decision = machine.decide(record, pending.command, all);
    const { expect } = proposal;
    if (decision.next) {
      proposal.next = decision.next;
      expect.past = Math.max(expect.past, decision.expect.past);
      expect.ahead = Math.min(expect.ahead, decision.expect.ahead);
      proposal.events.push(...decision.events);
      proposal.memos.push(...decision.memos);
      proposal.extensions.push(...decision.extensions);
      proposal.handOffs.push(...decision.handOffs);
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
