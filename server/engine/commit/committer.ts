import type { DecidingPolicy, DecisionContext, IdempotencyRecord } from '../../core/decision';
import {
  type ReadResult,
  type RecordKey,
  type RecordStore,
  StoreError,
} from '../../storage/record-store';
import type { Membership } from '../membership';
import type { NewNameObserver } from '../names/name-count';
import { idempotencyKey, isReadOnly, type PendingCommand, retryWithRead } from '../pending-command';
import { type AnyRecord, recordTypeOf } from '../record-type';
import { backendDown, contended, isStaleRead, tooLarge, unreadable } from '../refusals';
import type { StoreClock } from '../store-clock';
import { deliverGrants } from '../waiting/deliver-grants';
import { subtractElapsed } from '../waiting/subtract-elapsed';
import type { WaiterRegistry } from '../waiting/waiter-registry';
import { type CommandGroup, keyOfGroup } from './batcher';
import { cacheRecord } from './cache-record';
import { type CommandOutcome, decideBatch, type Proposal } from './decide-batch';
import { type PreparedChange, prepareChange } from './prepare-change';
import type { RecordCache } from './record-cache';
import { refreshUnknownMembers } from './refresh-unknown-members';
import { selectOversize } from './select-oversize';
import { endSpentRenewal, isSpentRenewal } from './spent-renewal';
import { type SwapOutcome, swapWithRecovery } from './swap-with-recovery';

/** What a flush works with. */
export interface CommitDependencies {
  store: RecordStore;
  epochOf: () => number;
  process: string;
  policyOf: (namespace: string) => DecidingPolicy;
  names: NewNameObserver;
  monotonic: () => number;
  newWriter: () => string;
  backendClock: StoreClock;
  pulse: Membership;
  room: WaiterRegistry;
  known: RecordCache;
  /** Decides commands again that lost a race. */
  resubmit: (commands: PendingCommand[]) => void;
  /** Gives back a grant that no caller was there to receive. */
  withdraw: (key: RecordKey, token: number) => void;
}

/** A proposal that changes its record, as its store is asked for it. */
interface PreparedProposal {
  proposal: Proposal;
  next: AnyRecord;
  prepared: PreparedChange;
}

const READ_PAUSE_MS = 50;

const NOTHING_REMEMBERED: ReadonlyMap<string, IdempotencyRecord> = new Map();

/**
 * Deals with one flush: read what is not known, decide, swap all changes in one packet, answer.
 *
 * No answer leaves before its record's swap has taken. A group that would change a remembered
 * record skips the read: the swap's own compare then proves, after every command arrived, that the
 * record was still the remembered one. A group that changes nothing answers from a record read
 * after its commands arrived, never from memory.
 */
export class Committer {
  constructor(private readonly deps: CommitDependencies) {}

  async commit(groups: CommandGroup[]): Promise<void> {
    const startedAt = this.deps.monotonic();
    const prepared: PreparedProposal[] = [];
    const unread: CommandGroup[] = [];
    for (const group of groups) {
      const proposal = this.proposeFromCache(group);
      if (proposal?.next) prepared.push(this.prepare(proposal, proposal.next));
      else unread.push(group);
    }
    await Promise.all([
      this.swap(prepared, startedAt),
      unread.length > 0 ? this.readAndSwap(unread, startedAt) : undefined,
    ]);
  }

  /** Null: a read is needed first; nothing is remembered, or a request id must be looked up. */
  private proposeFromCache(group: CommandGroup): Proposal | null {
    const { known, backendClock } = this.deps;
    const entry = known.entryOf(group.id);
    const now = backendClock.atLeast();
    if (!entry.known || now === null) return null;
    const needsRead = group.commands.some(
      (pending) =>
        pending.mustRead || isReadOnly(pending.command) || idempotencyKey(pending.command) !== null,
    );
    if (needsRead) return null;
    return decideBatch(group, entry, this.contextAt(group, now), NOTHING_REMEMBERED);
  }

  private async readAndSwap(groups: CommandGroup[], startedAt: number): Promise<void> {
    const commands = groups.flatMap((group) => group.commands);
    const readAt = this.deps.monotonic();
    const read = await this.readInTime(groups, commands);
    if (!read) return;
    const memos = new Map(read.memos.map((memo): [string, IdempotencyRecord] => [memo.key, memo]));
    const readable = groups.flatMap((group, i) => {
      const { record, now } = read.records[i] ?? never();
      if (!this.deps.store.estimatesClock) this.deps.backendClock.observe(now, readAt);
      try {
        return [{ group, place: cacheRecord(this.deps.known, keyOfGroup(group), record), now }];
      } catch (cause) {
        for (const pending of group.commands) pending.refuse(unreadable(cause));
        return [];
      }
    });
    const members = readable.flatMap(({ group, place: { known } }) =>
      known ? recordTypeOf(keyOfGroup(group)).processesIn(known.record) : [],
    );
    await refreshUnknownMembers(this.deps, members);
    const proposals = readable.map(({ group, place, now }) => {
      const proposal = decideBatch(group, place, this.contextAt(group, now), memos);
      if (createsRecord(proposal)) this.deps.names.creating(proposal.key);
      // No doubt is left: the record and each request's memo were read after it.
      markMayBeApplied(proposal.outcomes, () => false);
      return proposal;
    });
    const prepared: PreparedProposal[] = [];
    for (const proposal of proposals) {
      if (proposal.next) prepared.push(this.prepare(proposal, proposal.next));
      else this.reply(proposal, startedAt);
    }
    await this.swap(prepared, startedAt);
  }

  private contextAt(group: CommandGroup, now: number): DecisionContext {
    const { epochOf, process, pulse, room, policyOf } = this.deps;
    return {
      now,
      epoch: epochOf(),
      process,
      policy: policyOf(keyOfGroup(group).namespace),
      isAlive: pulse.isAlive,
      callerOf: room.callersOf(group.id),
      remembered: null,
    };
  }

  /** Reads, again if need be, until the budget of the most urgent command is over. */
  private async readInTime(
    groups: CommandGroup[],
    commands: PendingCommand[],
  ): Promise<ReadResult | null> {
    const keys = groups.map(keyOfGroup);
    const requestKeys = commands.flatMap(({ command }) => idempotencyKey(command) ?? []);
    const dueAt = earliestDueAt(groups);
    for (;;) {
      try {
        return await this.deps.store.read(keys, requestKeys);
      } catch (cause) {
        if (this.deps.monotonic() + READ_PAUSE_MS >= dueAt) {
          const error = backendDown(cause);
          for (const pending of commands) pending.refuse(error);
          return null;
        }
        await new Promise((resolve) => setTimeout(resolve, READ_PAUSE_MS));
      }
    }
  }

  private prepare(proposal: Proposal, next: AnyRecord): PreparedProposal {
    const prepared = prepareChange(proposal, next, this.deps.newWriter());
    return { proposal, next, prepared };
  }

  private async swap(proposed: PreparedProposal[], startedAt: number): Promise<void> {
    if (proposed.length === 0) return;
    const { store, monotonic, newWriter, backendClock } = this.deps;
    const changes = proposed.map(({ prepared }) => prepared.change);
    const dueAt = earliestDueAt(proposed.map(({ proposal }) => proposal.group));
    for (const { proposal } of proposed)
      markMayBeApplied(proposal.outcomes, ({ changed }) => changed);
    const sentAt = monotonic();
    let outcomes: SwapOutcome[];
    try {
      outcomes = await swapWithRecovery(store, changes, { dueAt, monotonic, newWriter });
    } catch (cause) {
      for (const { proposal } of proposed) {
        if (createsRecord(proposal)) this.deps.names.finished(proposal.key, false);
        this.refuse(proposal, cause);
      }
      return;
    }
    outcomes.forEach((verdict, i) => {
      const { proposal, next, prepared } = proposed[i] ?? never();
      if (!store.estimatesClock) backendClock.observe(verdict.now, sentAt);
      if (createsRecord(proposal)) this.deps.names.finished(proposal.key, verdict.took === 'yes');
      if (verdict.took === 'yes') {
        const { queueOnDisk: storedQueue } = prepared;
        proposal.entry.known = { record: next, writer: verdict.writer, storedQueue };
        this.reply(proposal, startedAt, backendClock.latestSince(verdict.now, sentAt));
      } else {
        this.decideAgain(proposal, verdict.took);
      }
    });
  }

  /**
   * Delivers grants first: a granted waiter must not receive an earlier state. The time left of a
   * lease is measured from before the read, and by the store's own clock where that may have moved
   * further since the decision.
   *
   * @param latest the latest that the store's clock can show by now; absent: as it was decided with
   */
  private reply(proposal: Proposal, startedAt: number, latest = proposal.now): void {
    const { room, monotonic } = this.deps;
    const { id } = proposal.group;
    const elapsedMs = Math.max(monotonic() - startedAt, latest - proposal.now);
    deliverGrants(this.deps, proposal.key, proposal.handOffs, elapsedMs);
    const again: PendingCommand[] = [];
    for (const { pending, reply, changed } of proposal.outcomes) {
      if (!('error' in reply)) {
        const answer = subtractElapsed(reply.answer, elapsedMs);
        if (!isSpentRenewal(answer)) pending.answer(answer, changed);
        else if (monotonic() < pending.dueAt) again.push(retryWithRead(pending));
        else endSpentRenewal(pending, answer, this.deps.backendClock);
        continue;
      }
      pending.progress.mayBeApplied ||= isStaleRead(reply.error);
      if (isStaleRead(reply.error) && monotonic() < pending.dueAt)
        again.push(retryWithRead(pending));
      else pending.refuse(reply.error);
    }
    this.deps.resubmit(again);
    const record = proposal.next ?? proposal.base?.record;
    const isExpiryCheck = proposal.group.commands.some(({ command }) => command.verb === 'settle');
    if (!record || !('queue' in record)) return;
    room.notifyOffered(id, record);
    if (isExpiryCheck) room.wakeDropped(id, record);
  }

  /** What may have been applied can be decided again only if its answer is remembered. */
  private decideAgain(proposal: Proposal, took: Exclude<SwapOutcome['took'], 'yes'>): void {
    const { monotonic, resubmit } = this.deps;
    const uncertain = took === 'unknown';
    proposal.entry.known = null;
    if (uncertain) this.wakeUncertain(proposal);
    markMayBeApplied(proposal.outcomes, ({ changed }) => uncertain && changed);
    const oversize = took === 'tooLarge' ? selectOversize(proposal.outcomes) : null;
    const again: PendingCommand[] = [];
    for (const { pending } of proposal.outcomes) {
      const canBeRetried =
        !pending.progress.mayBeApplied || idempotencyKey(pending.command) !== null;
      if (oversize?.has(pending)) pending.refuse(tooLarge());
      else if (canBeRetried && monotonic() < pending.dueAt) again.push(retryWithRead(pending));
      else pending.refuse(contended());
    }
    resubmit(again);
  }

  /** A waiter that may have been granted must not go on waiting behind its own hold. */
  private wakeUncertain({ group, handOffs }: Proposal): void {
    for (const { tag } of handOffs) this.deps.room.wake(group.id, tag, { why: 'uncertain' });
  }

  private refuse(proposal: Proposal, cause: unknown): void {
    proposal.entry.known = null;
    const isUnknown = !(cause instanceof StoreError) || cause.applied === 'unknown';
    if (isUnknown) this.wakeUncertain(proposal);
    markMayBeApplied(proposal.outcomes, ({ changed }) => isUnknown && changed);
    const error = backendDown(cause);
    for (const { pending } of proposal.outcomes) pending.refuse(error);
  }
}

/** Whether a proposal makes a record that was not there. */
function createsRecord({ base, next }: Proposal): boolean {
  return base === null && next !== null;
}

/** When the first of their budgets is over. */
function earliestDueAt(groups: CommandGroup[]): number {
  let dueAt = Number.POSITIVE_INFINITY;
  for (const { commands } of groups) {
    for (const pending of commands) dueAt = Math.min(dueAt, pending.dueAt);
  }
  return dueAt;
}

function never(): never {
  throw new Error('A flush lost track of its own changes.');
}

function markMayBeApplied(
  outcomes: CommandOutcome[],
  mayStand: (outcome: CommandOutcome) => boolean,
): void {
  for (const outcome of outcomes) outcome.pending.progress.mayBeApplied = mayStand(outcome);
}
