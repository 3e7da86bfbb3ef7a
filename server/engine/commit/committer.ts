import type { LockyardError } from '../../contract/errors';
import type { DecisionContext } from '../../core/decision';
import { type ReadResult, StoreError } from '../../storage/record-store';
import type { CommandQueue } from '../command-queue';
import type { EngineContext } from '../engine-context';
import { idempotencyKey, isReadOnly, isRepeatable, type PendingCommand } from '../pending-command';
import { type AnyRecord, recordTypeOf } from '../record-type';
import { contended, isStaleRead, swapFailed, tooLarge, unreadable } from '../refusals';
import { endWaits } from '../waiting/end-waits';
import { subtractElapsed } from '../waiting/subtract-elapsed';
import { type CommandGroup, keyOfGroup } from './batcher';
import { cacheFound } from './cache-found';
import { decideBatch, markMayBeApplied, type Proposal, selectOversize } from './decide-batch';
import { createsRecord, type PreparedChange, prepareChange } from './prepare-change';
import { readRecords } from './read-records';
import { refuseHindered } from './refuse-hindered';
import { refuseWithoutTime } from './refuse-without-time';
import { answerSpentRenewal, isSpentRenewal } from './spent-renewal';
import { earliestDueAt, splitByUrgency } from './split-by-urgency';
import { type InDoubt, type SwapOutcome, swapWithRecovery } from './swap-with-recovery';

/** A proposal that changes its record, with the change to send to the store. */
interface PreparedProposal extends PreparedChange {
  proposal: Proposal;
  next: AnyRecord;
}

/**
 * Commits the groups of the batcher: reads the records that are not cached, decides, swaps all
 * changes in one packet, answers.
 *
 * No answer is sent before its record's swap is applied. A group that would change a cached record
 * skips the read: the swap's own compare proves, after all commands arrived, that the record was
 * still the cached one and, if its store tests that, that none of its requests had been answered
 * before. A group that changes nothing answers from a record read after its commands arrived, never
 * from the cache.
 */
export class Committer {
  constructor(
    private readonly context: EngineContext,
    private readonly commands: CommandQueue,
  ) {}

  async commit(groups: CommandGroup[]): Promise<void> {
    const startedAt = this.context.monotonic();
    refuseHindered(groups, startedAt);
    const packets = splitByUrgency(groups, startedAt);
    await Promise.all(packets.map((packet) => this.commitPacket(packet, startedAt)));
  }

  private async commitPacket(groups: CommandGroup[], startedAt: number): Promise<void> {
    const now = this.context.storeClock.recentlyAtLeast();
    const prepared: PreparedProposal[] = [];
    const unread: CommandGroup[] = [];
    for (const group of groups) {
      const proposal = now === null ? null : this.proposeFromCache(group, now);
      if (proposal?.next) prepared.push(this.prepare(proposal, proposal.next));
      else unread.push(group);
    }
    await Promise.all([
      this.swap(prepared, startedAt),
      unread.length > 0 ? this.readAndSwap(unread, startedAt) : undefined,
    ]);
  }

  /** Null: a read is needed, since nothing is cached or a request must be looked up first. */
  private proposeFromCache(group: CommandGroup, now: number): Proposal | null {
    const entry = this.context.cache.entryOf(group.id);
    const { known } = entry;
    if (!known) return null;
    const needsRead = ({ mustRead, key, command }: PendingCommand) => {
      if (mustRead || isReadOnly(command)) return true;
      const request = idempotencyKey(command);
      if (request === null) return false;
      // A stored answer would refuse the swap, and with it all others of the packet.
      return !this.context.store.testsAnswers || recordTypeOf(key).hasSeen(known.record, request);
    };
    if (group.commands.some(needsRead)) return null;
    const from = { entry, base: known };
    return decideBatch(group, from, this.contextAt(group, now), null);
  }

  private async readAndSwap(groups: CommandGroup[], startedAt: number): Promise<void> {
    const { cache, membership, names } = this.context;
    const read = await this.readOrRefuse(groups);
    if (!read) return;
    const storedAnswers = new Map(read.storedAnswers.map((one) => [one.key, one] as const));
    const readable = groups.flatMap((group, i) => {
      const { record, now } = read.records[i] ?? never();
      try {
        const entry = cache.update(group.id, keyOfGroup(group), record);
        // Decided from the record that was read with the answers: the cache may get a newer one.
        return [{ group, from: { entry, base: entry.known }, now }];
      } catch (cause) {
        for (const pending of group.commands) pending.refuse(unreadable(cause));
        return [];
      }
    });
    const processes = readable.flatMap(({ group, from: { base } }) =>
      base ? recordTypeOf(keyOfGroup(group)).processesIn(base.record) : [],
    );
    await membership.refreshAbsent(processes);
    const proposals = readable.map(({ group, from, now }) => {
      const proposal = decideBatch(group, from, this.contextAt(group, now), storedAnswers);
      if (createsRecord(proposal)) names.creating(proposal.key);
      // Earlier attempts are settled: the record and the requests' answers were read after them.
      markMayBeApplied(proposal.outcomes, () => false);
      return proposal;
    });
    const prepared: PreparedProposal[] = [];
    for (const proposal of proposals) {
      if (proposal.next) prepared.push(this.prepare(proposal, proposal.next));
      else this.reply(proposal, startedAt, this.context.latestAfterRead(proposal.now));
    }
    await this.swap(prepared, startedAt);
  }

  private contextAt(group: CommandGroup, now: number): DecisionContext {
    const { membership, storeClock, waiters, options } = this.context;
    return {
      now,
      epoch: options.epochOf(),
      process: options.processId,
      policy: options.policyOf(keyOfGroup(group).namespace),
      isAlive: membership.isAlive,
      setForwardAt: storeClock.setForwardAt,
      callerOf: waiters.callersOf(group.id),
      storedAnswer: null,
    };
  }

  /** Null: reads failed until the most urgent command ran out of time; the rest is tried again. */
  private async readOrRefuse(groups: CommandGroup[]): Promise<ReadResult | null> {
    const commands = groups.flatMap((group) => group.commands);
    const requestKeys = commands.flatMap(({ command }) => idempotencyKey(command) ?? []);
    const dueAt = earliestDueAt(groups);
    try {
      return await readRecords(this.context, groups.map(keyOfGroup), requestKeys, dueAt);
    } catch (error) {
      for (const group of groups) {
        refuseWithoutTime(this.context, this.commands, group.commands, error as LockyardError);
      }
      return null;
    }
  }

  private prepare(proposal: Proposal, next: AnyRecord): PreparedProposal {
    const writer = this.context.options.newWriter();
    const { change, storedQueue } = prepareChange(proposal, next, writer);
    return { proposal, next, change, storedQueue };
  }

  private async swap(prepared: PreparedProposal[], startedAt: number): Promise<void> {
    if (prepared.length === 0) return;
    const changes = prepared.map(({ change }) => change);
    const dueAt = earliestDueAt(prepared.map(({ proposal }) => proposal.group));
    for (const { proposal } of prepared) {
      markMayBeApplied(proposal.outcomes, ({ changed }) => changed);
    }
    const sentAt = this.context.monotonic();
    let outcomes: (SwapOutcome | InDoubt)[];
    try {
      outcomes = await swapWithRecovery(this.context, changes, dueAt);
    } catch (cause) {
      this.afterFailedSwap(prepared, cause);
      return;
    }
    let shown = Number.NaN;
    let latest = shown;
    for (const [i, outcome] of outcomes.entries()) {
      const each = prepared[i] ?? never();
      const { proposal, next, storedQueue } = each;
      if (outcome.applied === 'inDoubt') {
        this.afterFailedSwap([each], outcome.failure);
        continue;
      }
      const { applied, now } = outcome;
      // Most results of a packet show the same clock, which is measured once.
      if (now !== shown) {
        latest = this.measureClock(now, sentAt);
        shown = now;
      }
      if (createsRecord(proposal)) this.context.names.finished(proposal.key, applied === 'yes');
      if (applied === 'yes') {
        proposal.entry.known = { record: next, writer: outcome.writer, storedQueue };
        this.commands.sendWithOthers(proposal.group.id);
        this.reply(proposal, startedAt, latest);
      } else this.decideAgain(proposal, outcome);
    }
  }

  /** The latest possible present instant of the store's clock, after a reply with `shown`. */
  private measureClock(shown: number, sentAt: number): number {
    this.context.observeClock(shown, sentAt);
    return this.context.storeClock.latestSince(shown, sentAt);
  }

  private afterFailedSwap(prepared: PreparedProposal[], cause: unknown): void {
    const failure = cause instanceof StoreError ? cause : null;
    const isRowLocked = failure?.isRowLocked === true;
    if (isRowLocked) this.commands.sendAlone(prepared.map(({ proposal }) => proposal.group.id));
    for (const { proposal } of prepared) {
      if (createsRecord(proposal)) this.context.names.finished(proposal.key, false);
      for (const { pending } of proposal.outcomes) pending.isHindered ||= isRowLocked;
      if (failure?.retryable) this.decideAgain(proposal, { applied: 'no', now: proposal.now });
      else this.refuse(proposal, cause);
    }
  }

  /**
   * Answers the commands of a proposal. Grants are delivered first: a granted waiter must not
   * receive an earlier state. A cancel that undid nothing is decided again if its acquire is. The
   * time left of a lease is measured from before the read, or by the store's clock if that may have
   * advanced further since the decision.
   *
   * @param latest the latest possible present instant of the store's clock
   */
  private reply(proposal: Proposal, startedAt: number, latest: number): void {
    const { context, commands } = this;
    const { id } = proposal.group;
    const elapsedMs = Math.max(context.monotonic() - startedAt, latest - proposal.now);
    endWaits(context, commands, proposal, elapsedMs);
    const again: PendingCommand[] = [];
    for (const { pending, reply, changed } of proposal.outcomes) {
      if ('error' in reply) {
        pending.mayBeApplied ||= isStaleRead(reply.error);
        if (!reply.isSure && this.hasTime(pending)) again.push(pending);
        else pending.refuse(reply.error);
        continue;
      }
      const answer = subtractElapsed(reply.answer, elapsedMs);
      if (isSpentRenewal(answer)) {
        pending.wasApplied = true;
        if (this.hasTime(pending)) again.push(pending);
        else void answerSpentRenewal(context, commands, pending);
      } else if (pending.missedOneOf(again, answer)) again.push(pending);
      else pending.answer(answer, changed);
    }
    commands.retry(again);
    const record = proposal.next ?? proposal.base?.record;
    const isLock = record !== undefined && 'queue' in record;
    const isExpiryCheck = proposal.group.commands.some(
      ({ command }) => command.verb === 'expireAndPromote',
    );
    if (isLock) context.waiters.notifyOffered(id, record);
    // A store that has lost the record has also lost every place in its queue.
    if (isExpiryCheck) context.waiters.wakeUnserved(id, isLock ? record : null, proposal.now);
  }

  private hasTime({ dueAt }: PendingCommand): boolean {
    return this.context.monotonic() < dueAt;
  }

  /**
   * Decides the commands again, from the record that the swap found if it returned that. A command
   * that may have been applied is refused unless its answer is stored.
   */
  private decideAgain(proposal: Proposal, outcome: Exclude<SwapOutcome, { applied: 'yes' }>): void {
    const { applied } = outcome;
    const found = applied === 'no' ? outcome.found : undefined;
    const isUnknown = applied === 'unknown';
    // A newer record that was read meanwhile stays in the cache.
    if (proposal.entry.known === proposal.base) proposal.entry.known = null;
    if (found) cacheFound(this.context, proposal.key, found);
    if (isUnknown) this.wakeUncertain(proposal);
    markMayBeApplied(proposal.outcomes, ({ changed }) => isUnknown && changed);
    const oversize = applied === 'tooLarge' ? selectOversize(proposal.outcomes) : null;
    const again: PendingCommand[] = [];
    for (const { pending } of proposal.outcomes) {
      const canBeRetried = !pending.mayBeApplied || isRepeatable(pending.command);
      if (oversize?.has(pending)) pending.refuse(tooLarge());
      else if (canBeRetried && this.hasTime(pending)) again.push(pending);
      else pending.refuse(contended());
    }
    if (found) this.commands.retryFromCache(again);
    else this.commands.retry(again);
  }

  /** Wakes waiters that may have been granted: they must not wait behind their own holds. */
  private wakeUncertain({ group, handOffs }: Proposal): void {
    for (const { tag } of handOffs) this.context.waiters.wake(group.id, tag, { why: 'uncertain' });
  }

  private refuse(proposal: Proposal, cause: unknown): void {
    proposal.entry.known = null;
    const isUnknown = !(cause instanceof StoreError) || cause.applied === 'unknown';
    if (isUnknown) this.wakeUncertain(proposal);
    markMayBeApplied(proposal.outcomes, ({ changed }) => isUnknown && changed);
    const error = swapFailed(cause);
    const commands = proposal.outcomes.map(({ pending }) => pending);
    if (isUnknown) for (const pending of commands) pending.refuse(error);
    else refuseWithoutTime(this.context, this.commands, commands, error);
  }
}

function never(): never {
  throw new Error('A commit lost track of its own changes.');
}
