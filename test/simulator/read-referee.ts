import type { InspectAnswer, ListedLock } from '@/server/contract/lock/answers';
import { isReleased, type LockRecord, liveHolds } from '@/server/core/lock/lock-record';
import { isOutOfPatience } from '@/server/core/lock/queue';

/** A state of a lock, and since when it had it, by the clock that is never set. */
interface State {
  /** Null: it had no record. */
  record: LockRecord | null;
  since: number;
  /** Whether it left no line of history: a deletion, or a loss. Lists may not show it for long. */
  isSilent?: boolean;
}

/** How late the history of a change may be read, in a world where it is read. */
export const LATE_HISTORY_MS = 1_000;

const AT_FIRST: State = { record: null, since: Number.NEGATIVE_INFINITY };

const revOf = ({ record }: State) => record?.rev ?? 0;

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
    this.add(id, { record, since });
    const lowest = this.lowest.get(id) ?? 0;
    return liveHolds(record, at)
      .filter((hold) => !isReleased(hold))
      .flatMap(({ token }) => [
        ...(token < lowest ? [`${token} is live, and a lowest valid token above it was read`] : []),
        ...(this.ended.has(`${id} ${token}`) ? [`${token} is live, and was read as ended`] : []),
      ]);
  }

  /** Called when a lock was deleted, or its store has lost data; `record`: its present one. */
  replaced(id: string, record: LockRecord | null, since: number): void {
    this.add(id, { record, since, isSilent: true });
  }

  private add(id: string, state: State): void {
    const states = this.states.get(id) ?? [AT_FIRST];
    this.states.set(id, states);
    states.push(state);
  }

  /** The states that a lock had since then, oldest first. */
  private statesSince(id: string, since: number): State[] {
    const states = this.states.get(id) ?? [AT_FIRST];
    const isRecent = (_: State, i: number) =>
      (states[i + 1]?.since ?? Number.POSITIVE_INFINITY) >= since;
    return states.filter(isRecent);
  }

  /** What is wrong with an answer about the whole lock, in words. */
  inspected(id: string, answer: InspectAnswer, span: ReadSpan): string[] {
    const { rev } = answer;
    this.lowest.set(id, Math.max(this.lowest.get(id) ?? 0, answer.minValidToken));
    const states = this.statesSince(id, span.startedAt);
    const read = states.findLast((state) => revOf(state) === rev);
    if (read) return differences(read.record, answer, span);
    // Between two states, a command saw what others of the same write had changed.
    const isBetween = (state: State, i: number) => {
      const next = states[i + 1];
      return next !== undefined && revOf(state) < rev && rev < revOf(next);
    };
    return states.some(isBetween) ? [] : [`rev ${rev} was read, which the lock did not have then`];
  }

  /**
   * What is wrong with a lock in a list, in words.
   *
   * @param lock undefined: it is not in the list
   * @param since by the clock that is never set: a state that ended sooner must not be listed
   */
  listed(id: string, lock: ListedLock | undefined, since: number): string[] {
    const isAbsent = ({ record }: State) => record === null;
    if (!lock) return this.statesSince(id, since).some(isAbsent) ? [] : ['it is not in the list'];
    const states = this.states.get(id) ?? [AT_FIRST];
    const at = states.findLastIndex((state) => revOf(state) === lock.rev);
    const next = states.find((_, i) => i > at && hadToBeRead(states, i));
    // Of a lock whose state is unknown a list shows what was last known, however long ago.
    const isOld = lock.state !== 'unknown' && next !== undefined && next.since < since;
    const listed = states[at]?.record;
    if (!listed || isOld) return [`rev ${lock.rev} was listed, which the lock did not have then`];
    const tokens = new Set(listed.holds.map(({ token }) => token));
    const others = lock.holders.filter(({ token }) => !tokens.has(token));
    return others.map(({ token }) => `${token} was listed, and is no hold`);
  }

  /** Called when the hold was answered to have ended. */
  readAsEnded(id: string, token: number): void {
    this.ended.add(`${id} ${token}`);
  }
}

/** Whether a state left a line of history that was not lost before a list had to read it. */
function hadToBeRead(states: State[], at: number): boolean {
  const [state, ...later] = states.slice(at);
  if (!state || state.isSilent) return false;
  const silent = later.find(({ isSilent }) => isSilent);
  return silent === undefined || silent.since >= state.since + LATE_HISTORY_MS;
}

/** How an answer differs from the record, at every instant of the span. */
function differences(
  record: LockRecord | null,
  answer: InspectAnswer,
  { from, to }: ReadSpan,
): string[] {
  const { holds = [], queue = [], frozen = null } = record ?? {};
  const shown = new Map(answer.holders.map((holder) => [holder.token, holder.expiresAt]));
  const waiting = new Set(answer.waiters.map(({ ticket }) => ticket));
  const isFrozen = answer.frozen !== undefined;
  const found: string[] = [];
  for (const { token, expiresAt } of holds) {
    const shownUntil = shown.get(token);
    shown.delete(token);
    const isLive = shownUntil !== undefined;
    if (isLive && expiresAt <= from) found.push(`${token} was read, and has ended`);
    if (isLive && expiresAt !== shownUntil) found.push(`${token} was read with another lease`);
    if (!isLive && expiresAt > to) found.push(`${token} is live, and was not read`);
  }
  for (const waiter of queue) {
    const isWaiting = waiting.delete(waiter.ticket);
    const isMissed = !isWaiting && !isOutOfPatience(waiter, to);
    if (isMissed) found.push(`ticket ${waiter.ticket} waits, and was not read`);
  }
  for (const token of shown.keys()) found.push(`${token} was read, and is no hold`);
  for (const ticket of waiting) found.push(`ticket ${ticket} was read, and does not wait`);
  if (isFrozen !== (frozen !== null)) found.push(`the lock was read as frozen: ${isFrozen}`);
  if (answer.state === 'held' && answer.holders.length === 0) found.push('it is held by no hold');
  if (answer.state !== 'held' && answer.holders.length > 0 && !isFrozen) {
    found.push(`it was read as ${answer.state}, and is held`);
  }
  return found;
}
