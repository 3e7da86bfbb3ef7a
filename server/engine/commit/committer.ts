import type { LockyardError } from '../../contract/errors';
import type { DecidingPolicy, DecisionContext, Memo } from '../../core/decision';
import {
  type ReadResult,
  type RecordKey,
  type RecordStore,
  StoreError,
} from '../../storage/record-store';
import type { Pulse } from '../membership';
import type { NewNames } from '../names/name-count';
import { memoKey, onlyLooks, type PendingCommand } from '../pending-command';
import { type AnyRecord, machineOf } from '../record-type';
import { backendDown, contended, tooLarge, unreadable } from '../refusals';
import type { BackendClock } from '../store-clock';
import { handOver } from '../waiting/deliver-grants';
import { ageAnswer } from '../waiting/subtract-elapsed';
import type { WaitingRoom } from '../waiting/waiter-registry';
import { type Group, keyOf } from './batcher';
import { openRecord } from './cache-record';
import { decideGroup, type Outcome, type Proposal } from './decide-batch';
import { type Written, writeDown } from './prepare-change';
import type { KnownRecords } from './record-cache';
import { meetStrangers } from './refresh-unknown-members';
import { surplusOf } from './select-oversize';
import { endSpent, isSpent } from './spent-renewal';
import { sureSwap, type Verdict } from './swap-with-recovery';

/** What a flush works with. */
export interface FlushTools {
  store: RecordStore;
  epochOf: () => number;
  process: string;
  policyOf: (namespace: string) => DecidingPolicy;
  names: NewNames;
  monotonic: () => number;
  newWriter: () => string;
  backendClock: BackendClock;
  pulse: Pulse;
  room: WaitingRoom;
  known: KnownRecords;
  /** Decides commands again that lost a race. */
  resubmit: (commands: PendingCommand[]) => void;
  /** Gives back a grant that no caller was there to receive. */
  withdraw: (key: RecordKey, token: number) => void;
}

/** A proposal that changes its record, as its store is asked for it. */
interface Proposed {
  proposal: Proposal;
  next: AnyRecord;
  written: Written;
}

const READ_PAUSE_MS = 50;

const NO_MEMOS: ReadonlyMap<string, Memo> = new Map();

/**
 * Deals with one flush: read what is not known, decide, swap all changes in one packet, answer.
 *
 * No answer leaves before its record's swap has taken. A group that would change a remembered
 * record skips the read: the swap's own compare then proves, after every command arrived, that the
 * record was still the remembered one. A group that changes nothing answers from a record read
 * after its commands arrived, never from memory.
 */
export class Flusher {
  constructor(private readonly tools: FlushTools) {}

  async flush(groups: Group[]): Promise<void> {
    const startedAt = this.tools.monotonic();
    const proposed: Proposed[] = [];
    const unread: Group[] = [];
    for (const group of groups) {
      const proposal = this.proposeFromMemory(group);
      if (proposal?.next) proposed.push(this.proposed(proposal, proposal.next));
      else unread.push(group);
    }
    await Promise.all([
      this.swap(proposed, startedAt),
      unread.length > 0 ? this.readAndSwap(unread, startedAt) : undefined,
    ]);
  }

  /** Null: a read is needed first; nothing is remembered, or a request id must be looked up. */
  private proposeFromMemory(group: Group): Proposal | null {
    const { known, backendClock } = this.tools;
    const place = known.at(group.id);
    const now = backendClock.atLeast();
    if (!place.known || now === null) return null;
    const needsRead = group.commands.some(
      (pending) =>
        pending.mustRead || onlyLooks(pending.command) || memoKey(pending.command) !== null,
    );
    if (needsRead) return null;
    return decideGroup(group, place, this.contextAt(group, now), NO_MEMOS);
  }

  private async readAndSwap(groups: Group[], startedAt: number): Promise<void> {
    const commands = groups.flatMap((group) => group.commands);
    const readAt = this.tools.monotonic();
    const read = await this.readInTime(groups, commands);
    if (!read) return;
    const memos = new Map(read.memos.map((memo): [string, Memo] => [memo.key, memo]));
    const readable = groups.flatMap((group, i) => {
      const { record, now } = read.records[i] ?? never();
      if (!this.tools.store.estimatesClock) this.tools.backendClock.observe(now, readAt);
      try {
        return [{ group, place: openRecord(this.tools.known, keyOf(group), record), now }];
      } catch (cause) {
        for (const pending of group.commands) pending.refuse(unreadable(cause));
        return [];
      }
    });
    const met = readable.flatMap(({ group, place: { known } }) =>
      known ? machineOf(keyOf(group)).processesIn(known.record) : [],
    );
    await meetStrangers(this.tools, met);
    const proposals = readable.map(({ group, place, now }) => {
      const proposal = decideGroup(group, place, this.contextAt(group, now), memos);
      if (isBirth(proposal)) this.tools.names.making(proposal.key);
      // No doubt is left: the record and each request's memo were read after it.
      markStanding(proposal.outcomes, () => false);
      return proposal;
    });
    const proposed: Proposed[] = [];
    for (const proposal of proposals) {
      if (proposal.next) proposed.push(this.proposed(proposal, proposal.next));
      else this.tell(proposal, startedAt);
    }
    await this.swap(proposed, startedAt);
  }

  private contextAt(group: Group, now: number): DecisionContext {
    const { epochOf, process, pulse, room, policyOf } = this.tools;
    return {
      now,
      epoch: epochOf(),
      process,
      policy: policyOf(keyOf(group).namespace),
      isAlive: pulse.isAlive,
      callerOf: room.callersOf(group.id),
      remembered: null,
    };
  }

  /** Reads, again if need be, until the budget of the most urgent command is over. */
  private async readInTime(
    groups: Group[],
    commands: PendingCommand[],
  ): Promise<ReadResult | null> {
    const keys = groups.map(keyOf);
    const requestKeys = commands.flatMap(({ command }) => memoKey(command) ?? []);
    const dueAt = mostUrgent(groups);
    for (;;) {
      try {
        return await this.tools.store.read(keys, requestKeys);
      } catch (cause) {
        if (this.tools.monotonic() + READ_PAUSE_MS >= dueAt) {
          const error = backendDown(cause);
          for (const pending of commands) pending.refuse(error);
          return null;
        }
        await new Promise((resolve) => setTimeout(resolve, READ_PAUSE_MS));
      }
    }
  }

  private proposed(proposal: Proposal, next: AnyRecord): Proposed {
    return { proposal, next, written: writeDown(proposal, next, this.tools.newWriter()) };
  }

  private async swap(proposed: Proposed[], startedAt: number): Promise<void> {
    if (proposed.length === 0) return;
    const { store, monotonic, newWriter, backendClock } = this.tools;
    const changes = proposed.map(({ written }) => written.change);
    const dueAt = mostUrgent(proposed.map(({ proposal }) => proposal.group));
    for (const { proposal } of proposed) markStanding(proposal.outcomes, ({ changed }) => changed);
    const sentAt = monotonic();
    let verdicts: Verdict[];
    try {
      verdicts = await sureSwap(store, changes, { dueAt, monotonic, newWriter });
    } catch (cause) {
      for (const { proposal } of proposed) {
        if (isBirth(proposal)) this.tools.names.settled(proposal.key, false);
        this.refuse(proposal, cause);
      }
      return;
    }
    verdicts.forEach((verdict, i) => {
      const { proposal, next, written } = proposed[i] ?? never();
      if (!store.estimatesClock) backendClock.observe(verdict.now, sentAt);
      if (isBirth(proposal)) this.tools.names.settled(proposal.key, verdict.took === 'yes');
      if (verdict.took === 'yes') {
        const { queueOnDisk } = written;
        proposal.place.known = { record: next, writer: verdict.writer, queueOnDisk };
        this.tell(proposal, startedAt, backendClock.latestSince(verdict.now, sentAt));
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
  private tell(proposal: Proposal, startedAt: number, latest = proposal.now): void {
    const { room, monotonic } = this.tools;
    const { id } = proposal.group;
    const elapsedMs = Math.max(monotonic() - startedAt, latest - proposal.now);
    handOver(this.tools, proposal.key, proposal.handOffs, elapsedMs);
    const again: PendingCommand[] = [];
    for (const { pending, told, changed } of proposal.outcomes) {
      if (!('error' in told)) {
        const answer = ageAnswer(told.answer, elapsedMs);
        if (!isSpent(answer)) pending.answer(answer, changed);
        else if (monotonic() < pending.dueAt) again.push(afresh(pending));
        else endSpent(pending, answer, this.tools.backendClock);
        continue;
      }
      pending.progress.mayStand ||= isReadApart(told.error);
      if (isReadApart(told.error) && monotonic() < pending.dueAt) again.push(afresh(pending));
      else pending.refuse(told.error);
    }
    this.tools.resubmit(again);
    const record = proposal.next ?? proposal.base?.record;
    const isSettled = proposal.group.commands.some(({ command }) => command.verb === 'settle');
    if (!record || !('queue' in record)) return;
    room.callTurns(id, record);
    if (isSettled) room.reconcile(id, record);
  }

  /** What may have been applied can be decided again only if its answer is remembered. */
  private decideAgain(proposal: Proposal, took: Exclude<Verdict['took'], 'yes'>): void {
    const { monotonic, resubmit } = this.tools;
    const uncertain = took === 'unknown';
    proposal.place.known = null;
    if (uncertain) this.tellDoubt(proposal);
    markStanding(proposal.outcomes, ({ changed }) => uncertain && changed);
    const surplus = took === 'tooLarge' ? surplusOf(proposal.outcomes) : null;
    const again: PendingCommand[] = [];
    for (const { pending } of proposal.outcomes) {
      const canBeAsked = !pending.progress.mayStand || memoKey(pending.command) !== null;
      if (surplus?.has(pending)) pending.refuse(tooLarge());
      else if (canBeAsked && monotonic() < pending.dueAt) again.push(afresh(pending));
      else pending.refuse(contended());
    }
    resubmit(again);
  }

  /** A waiter that may have been granted must not go on waiting behind its own hold. */
  private tellDoubt({ group, handOffs }: Proposal): void {
    for (const { tag } of handOffs) this.tools.room.wake(group.id, tag, { why: 'uncertain' });
  }

  private refuse(proposal: Proposal, cause: unknown): void {
    proposal.place.known = null;
    const isUnknown = !(cause instanceof StoreError) || cause.applied === 'unknown';
    if (isUnknown) this.tellDoubt(proposal);
    markStanding(proposal.outcomes, ({ changed }) => isUnknown && changed);
    const error = backendDown(cause);
    for (const { pending } of proposal.outcomes) pending.refuse(error);
  }
}

/** Whether a proposal makes a record that was not there. */
function isBirth({ base, next }: Proposal): boolean {
  return base === null && next !== null;
}

/** When the first of their budgets is over. */
function mostUrgent(groups: Group[]): number {
  let dueAt = Number.POSITIVE_INFINITY;
  for (const { commands } of groups) {
    for (const pending of commands) dueAt = Math.min(dueAt, pending.dueAt);
  }
  return dueAt;
}

function never(): never {
  throw new Error('A flush lost track of its own changes.');
}

/** `decide` was given a record and a remembered answer of two instants: it must be asked again. */
function isReadApart({ reason }: LockyardError): boolean {
  return reason === 'CONTENDED';
}

/** The same command, to be decided from a record that is read from now on. */
function afresh(pending: PendingCommand): PendingCommand {
  return { ...pending, mustRead: true };
}

function markStanding(outcomes: Outcome[], mayStand: (outcome: Outcome) => boolean): void {
  for (const outcome of outcomes) outcome.pending.progress.mayStand = mayStand(outcome);
}
