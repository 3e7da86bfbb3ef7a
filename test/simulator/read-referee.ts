import type { InspectAnswer, ListedLock } from '@/server/contract/lock/answers';
import { isReleased, type LockRecord, liveHolds } from '@/server/core/lock/lock-record';
import { isOutOfPatience } from '@/server/core/lock/queue';

/** A state of a lock, and since when it had it, by the clock that is never set. */
interface State {
  record: LockRecord;
  since: number;
}

/** The time between the request for an answer and the answer. */
export interface ReadSpan {
  /** By the clock that is never set. */
  startedAt: number;
  /** The same by the clock that counts leases, as it may have been known then. */
  from: number;
  /** The end, by the clock that counts leases. */
  to: number;
}

/** Checks that each answer about a lock was true at some instant since it was asked for. */
export class ReadReferee {
  /** By lock, its states in order. */
  private readonly states = new Map<string, State[]>();
  /** By lock, the highest answer to which token is the lowest valid one. */
  private readonly lowest = new Map<string, number>();
  /** The holds, by lock and token, that were answered to have ended. */
  private readonly ended = new Set<string>();

  /** The violations in a step, in words. */
  violations(id: string, record: LockRecord, at: number, since: number): string[] {
    const states = this.states.get(id) ?? [];
    this.states.set(id, states);
    states.push({ record, since });
    const lowest = this.lowest.get(id) ?? 0;
    return liveHolds(record, at)
      .filter((hold) => !isReleased(hold))
      .flatMap(({ token }) => [
        ...(token < lowest ? [`${token} is live, and a lowest valid token above it was read`] : []),
        ...(this.ended.has(`${id} ${token}`) ? [`${token} is live, and was read as ended`] : []),
      ]);
  }

  /** What is wrong with an answer about the whole lock, in words. */
  inspected(id: string, answer: InspectAnswer, span: ReadSpan): string[] {
    this.lowest.set(id, Math.max(this.lowest.get(id) ?? 0, answer.minValidToken));
    const states = this.states.get(id) ?? [];
    const next = states.findIndex(({ record }) => record.rev > answer.rev);
    const { since: endedAt } = states[next] ?? { since: Number.POSITIVE_INFINITY };
    if (endedAt < span.startedAt) return [`rev ${answer.rev} was read after the next one`];
    const current = next < 0 ? states.at(-1) : states[next - 1];
    // Between these, a command saw what others of the same write had changed.
    if (current && current.record.rev < answer.rev) {
      return next < 0 ? [`rev ${answer.rev} was read, and never written`] : [];
    }
    return current ? differences(current.record, answer, span) : [];
  }

  /**
   * What is wrong with a lock in a list, in words.
   *
   * @param lock undefined: it is not in the list
   * @param since by the clock that is never set: a state that ended sooner must not be listed
   */
  listed(id: string, lock: ListedLock | undefined, since: number): string[] {
    const states = this.states.get(id) ?? [];
    const [first] = states;
    if (!lock) return first && first.since < since ? ['it is not in the list'] : [];
    const next = states.find(({ record }) => record.rev > lock.rev);
    if (next && next.since < since) return [`rev ${lock.rev} was listed, which is too old`];
    const listed = states.find(({ record }) => record.rev === lock.rev)?.record;
    if (!listed) return [`rev ${lock.rev} was listed, and never written`];
    const tokens = new Set(listed.holds.map(({ token }) => token));
    const others = lock.holders.filter(({ token }) => !tokens.has(token));
    return others.map(({ token }) => `${token} was listed, and is no hold`);
  }

  /** Called when the hold was answered to have ended. */
  readAsEnded(id: string, token: number): void {
    this.ended.add(`${id} ${token}`);
  }
}

/** How an answer differs from the record, at every instant of the span. */
function differences(record: LockRecord, answer: InspectAnswer, { from, to }: ReadSpan): string[] {
  const shown = new Map(answer.holders.map((holder) => [holder.token, holder.expiresAt]));
  const waiting = new Set(answer.waiters.map(({ ticket }) => ticket));
  const isFrozen = answer.frozen !== undefined;
  const found: string[] = [];
  for (const { token, expiresAt } of record.holds) {
    const shownUntil = shown.get(token);
    shown.delete(token);
    const isLive = shownUntil !== undefined;
    if (isLive && expiresAt <= from) found.push(`${token} was read, and has ended`);
    if (isLive && expiresAt !== shownUntil) found.push(`${token} was read with another lease`);
    if (!isLive && expiresAt > to) found.push(`${token} is live, and was not read`);
  }
  for (const waiter of record.queue) {
    const isWaiting = waiting.delete(waiter.ticket);
    const isMissed = !isWaiting && !isOutOfPatience(waiter, to);
    if (isMissed) found.push(`ticket ${waiter.ticket} waits, and was not read`);
  }
  for (const token of shown.keys()) found.push(`${token} was read, and is no hold`);
  for (const ticket of waiting) found.push(`ticket ${ticket} was read, and does not wait`);
  if (isFrozen !== (record.frozen !== null)) found.push(`the lock was read as frozen: ${isFrozen}`);
  if (answer.state === 'held' && answer.holders.length === 0) found.push('it is held by no hold');
  if (answer.state !== 'held' && answer.holders.length > 0 && !isFrozen) {
    found.push(`it was read as ${answer.state}, and is held`);
  }
  return found;
}
