import { type Party, partyKey } from '../party';
import {
  addSpans,
  byAttempts,
  NAMED_OWNERS_MAX,
  type RefusalCounts,
  type RefusalSpan,
  type RefusedOwner,
} from './refusal-counts';

/** The fewest owners counted at the same time, so that frequent ones are found among many. */
export const COUNTED_OWNERS_MIN = 2 * NAMED_OWNERS_MAX;

/** The most owners counted at the same time: as many as usually compete for a crowded lock. */
export const COUNTED_OWNERS_MAX = 128;

interface CountedOwner extends RefusedOwner {
  /** Its attempts plus the rank of the owner whose place it took. */
  rank: number;
}

/**
 * Counts the refused attempts on one lock by owner in bounded memory, with the Space-Saving
 * algorithm: it has `ownersMax` places, and an owner with more than 1/`ownersMax` of all attempts
 * always has one. An owner is counted since it last got a place; the attempts of an owner that lost
 * its place are added to those of the others.
 */
export class RefusalTally {
  /** The first owner; while it is the only one, its span is `all`. */
  private first: Party | null = null;
  /** Null while there is at most one owner. */
  private owners: Map<string, CountedOwner> | null = null;
  private all: RefusalSpan | null = null;
  private others: RefusalSpan | null = null;
  /** A lower bound of all ranks, which never falls: an owner that joins has a higher rank. */
  private lowestRank = 1;

  /** @param ownersMax how many owners are counted at the same time */
  constructor(private readonly ownersMax = COUNTED_OWNERS_MAX) {}

  /**
   * Counts one refused attempt.
   *
   * @param token of the hold during which it was refused; 0: unknown, assumed to be the last one
   * @param at epoch milliseconds
   */
  note({ service, owner }: Party, token: number, at: number): void {
    const { all, first } = this;
    if (!all || !first) {
      this.first = { service, owner };
      this.all = { attempts: 1, token, firstAt: at, lastAt: at };
      return;
    }
    if (first.owner !== owner || first.service !== service) {
      this.owners ??= new Map([[partyKey(first), { ...first, ...all, rank: all.attempts }]]);
    }
    const hold = token || all.token;
    extend(all, hold, at);
    if (this.owners) this.noteOwner(this.owners, { service, owner }, hold, at);
  }

  /** A snapshot of the counts; null: nothing was counted. */
  counts(): RefusalCounts | null {
    const { all, first } = this;
    if (!all || !first) return null;
    if (!this.owners) return { all: { ...all }, owners: [{ ...first, ...all }], others: null };
    let { others } = this;
    const owners: RefusedOwner[] = [];
    for (const counted of [...this.owners.values()].sort(byAttempts)) {
      const { service, owner, attempts, token, firstAt, lastAt } = counted;
      const span = { attempts, token, firstAt, lastAt };
      if (owners.length < NAMED_OWNERS_MAX) owners.push({ service, owner, ...span });
      else others = others ? addSpans(others, span) : span;
    }
    return { all: { ...all }, owners, others: others && { ...others } };
  }

  private noteOwner(
    owners: Map<string, CountedOwner>,
    caller: Party,
    hold: number,
    at: number,
  ): void {
    const key = partyKey(caller);
    const known = owners.get(key);
    if (known) {
      extend(known, hold, at);
      known.rank += 1;
      return;
    }
    const rank = 1 + (owners.size < this.ownersMax ? 0 : this.evict(owners));
    const { service, owner } = caller;
    // One literal: in V8, a spread with added fields takes 15 times as long.
    owners.set(key, { service, owner, attempts: 1, token: hold, firstAt: at, lastAt: at, rank });
  }

  /** Removes an owner of the lowest rank, and returns that rank. */
  private evict(owners: Map<string, CountedOwner>): number {
    let lowest: CountedOwner | null = null;
    for (const owner of owners.values()) {
      if (!lowest || owner.rank < lowest.rank) lowest = owner;
      if (lowest.rank === this.lowestRank) break;
    }
    if (!lowest) return 0;
    this.lowestRank = lowest.rank;
    owners.delete(partyKey(lowest));
    const { attempts, token, firstAt, lastAt } = lowest;
    const span = { attempts, token, firstAt, lastAt };
    this.others = this.others ? addSpans(this.others, span) : span;
    return lowest.rank;
  }
}

function extend(span: RefusalSpan, token: number, at: number): void {
  span.attempts += 1;
  span.lastAt = Math.max(span.lastAt, at);
  if (span.token === token) return;
  span.token = token;
  span.firstAt = at;
}
