import { LockyardError } from '@/server/contract/errors';
import type { ListedLock } from '@/server/contract/lock/answers';
import type { WatchAnswer } from '@/server/contract/lock/watch';
import { holderViews, lockState } from '@/server/core/lock/lock-answers';
import type { LockRecord } from '@/server/core/lock/lock-record';
import { readPosition } from '@/server/monitoring/watch/watch-position';
import { type WatchTarget, watchTarget } from '@/server/monitoring/watch/watch-target';
import { decodeRecord } from '@/server/storage/codec/record-codec';
import { recordId } from '@/server/storage/record-id';
import type { Referee } from './referee';
import { BEGAN_AT, type Step } from './sim-database';
import type { SimProcess } from './sim-process';
import type { SimWorld } from './sim-world';

/** How far the store's times that two processes assume may differ. */
const SKEW_MS = 1_000;

const WAIT_MAX_MS = 2_000;
const GIVE_UP_AFTER_MS = 7_000;

/** How often the watcher asks for the remaining changes at the end, at most. */
const LAST_ASKS = 40;
const LAST_WAIT_MS = 700;

/** One request for changes: for one answer, or for a stream that is cut after some answers. */
interface WatchRequest {
  waitMs: number;
  answers: number;
  /** Its last answer is lost on the way. */
  isCut: boolean;
}

/**
 * A program that watches all locks of a world, each time at any process, and continues where it
 * was. Reports a change that was never answered, a state that goes back, and a final state that is
 * wrong.
 */
export class SimWatcher {
  /** The last answered state of each lock. */
  private readonly seen = new Map<string, ListedLock>();
  /** For each lock, the revs at which its appearance changed, with the new appearance. */
  private readonly looks = new Map<string, { rev: number; text: string }[]>();
  private readonly target: WatchTarget;
  private since: string | null = null;
  /** While the present states arrive: those received so far. */
  private present: Set<string> | null = new Set();

  /** @param random separate random numbers */
  constructor(
    private readonly world: SimWorld,
    private readonly truth: Referee,
    private readonly random: () => number,
  ) {
    const names = world.keys.map(({ name }) => name);
    const which = random() < 0.5 ? { names } : { names: undefined, prefix: 'l' };
    this.target = watchTarget('default', 'orders', { namespace: 'default', ...which });
  }

  /** Called with every step of a lock, as the database takes it. */
  observe({ change: { key }, before, after }: Step): void {
    if (key.kind) return;
    const was = before && decodeRecord(before).record;
    const is = decodeRecord(after).record;
    if (looksOf(was) === looksOf(is)) return;
    const looks = this.looks.get(recordId(key)) ?? [];
    this.looks.set(recordId(key), looks);
    looks.push({ rev: is.rev, text: looksOf(is) });
  }

  async run(): Promise<void> {
    const { random, world } = this;
    while (world.isTroubled) {
      await world.scheduler.pause(random() * 200);
      const isStream = random() < 0.3;
      await this.ask({
        waitMs: random() * WAIT_MAX_MS,
        answers: isStream ? 1 + Math.floor(random() * 5) : 1,
        isCut: random() < 0.15,
      });
    }
  }

  /** Asks until there is nothing more, and compares. */
  async end(): Promise<void> {
    let isUpToDate = false;
    for (let asked = 0; asked < LAST_ASKS && !isUpToDate; asked += 1) {
      const answer = await this.ask({ waitMs: LAST_WAIT_MS, answers: 1, isCut: false });
      isUpToDate = answer?.more === false && answer.locks.length === 0;
    }
    if (!isUpToDate) this.truth.report('a watch never caught up');
    for (const key of this.world.keys) {
      const record = this.truth.record(key);
      const now = this.truth.now(key);
      const seen = this.seen.get(key.name);
      const [is, was] = [
        textOf(
          lockState(record, now),
          holderViews(record, now, 'orders'),
          record?.queue.length ?? 0,
        ),
        textOf(seen?.state ?? 'free', seen?.holders ?? [], seen?.queueLength ?? 0),
      ];
      if (is !== was) this.truth.report(`a watch shows ${key.name} as ${was}, and it is ${is}`);
    }
  }

  /** Returns the last answer that arrived, if one did. */
  private async ask(request: WatchRequest): Promise<WatchAnswer | null> {
    const { scheduler } = this.world;
    const process = this.world.anyProcess();
    if (!process?.reading) {
      await scheduler.pause(200);
      return null;
    }
    const stop = new AbortController();
    let [last, hasGivenUp]: [WatchAnswer | null, boolean] = [null, false];
    return new Promise((resolve) => {
      const finish = () => {
        hasGivenUp = true;
        resolve(last);
      };
      const hear = (answer: WatchAnswer) => {
        if (hasGivenUp) return;
        last = answer;
        this.hear(answer);
      };
      scheduler.after(this.random() * 2, process.owner, () => {
        void this.follow(process, request, { hear, signal: stop.signal })
          .catch((error) => this.note(error))
          .then(() => scheduler.after(this.random() * 2, null, finish));
      });
      scheduler.after(GIVE_UP_AFTER_MS, null, finish);
      scheduler.after(GIVE_UP_AFTER_MS, process.owner, () => stop.abort());
    });
  }

  private async follow(
    { reading }: SimProcess,
    { waitMs, answers, isCut }: WatchRequest,
    { hear, signal }: { hear: (answer: WatchAnswer) => void; signal: AbortSignal },
  ): Promise<void> {
    const honest = this.since === null ? null : readPosition(this.since);
    const since = honest && (this.world.flaws.position?.(honest) ?? honest);
    const pace = { waitMs, signal, onWaiting: () => {}, isPolled: answers === 1 };
    let left = answers;
    for await (const answer of reading?.watches.follow(this.target, since, pace) ?? []) {
      left -= 1;
      if (left > 0 || !isCut) hear(answer);
      if (left === 0) return;
    }
  }

  private note(error: unknown): void {
    if (error instanceof LockyardError && error.reason === 'BACKEND_DOWN') return;
    this.truth.report(`a watch failed: ${(error as Error)?.stack ?? error}`);
  }

  private hear(answer: WatchAnswer): void {
    const { locks, position, reset, more } = answer;
    const at = Math.round(this.world.scheduler.now);
    // What is sealed differs in every run.
    const { sealedVersion: _, ...known } = readPosition(position);
    this.world.trace.add(JSON.stringify(['watcher', at, { ...answer, position: known }]));
    this.since = position;
    if (reset) this.present = new Set();
    for (const lock of locks) {
      const { rev = 0 } = this.seen.get(lock.name) ?? {};
      // The last reading of a process whose store is unreachable may be old.
      const isOld = lock.rev < rev && lock.state !== 'unknown';
      if (isOld) this.truth.report(`a watch of ${lock.name} went back to rev ${lock.rev}`);
      this.seen.set(lock.name, lock);
      this.present?.add(lock.name);
    }
    if (more) return;
    // A lock of the prefix that is not among the present states is free.
    const { present } = this;
    for (const name of this.seen.keys()) if (present?.has(name) === false) this.seen.delete(name);
    this.present = null;
    this.checkComplete(readPosition(position).readUpTo);
  }

  /**
   * Checks that every change that its process claims to have read was answered, unless the lock has
   * since returned to the answered state.
   */
  private checkComplete(readUpTo: number): void {
    const { database, databases } = this.world;
    // With shards, the position is an instant of the first one's clock.
    const at = readUpTo - BEGAN_AT - database.aheadMs - SKEW_MS;
    const visible = databases.flatMap((each) => each.historyVisibleAt(at));
    for (const { changes } of visible) {
      for (const { key, rev } of changes) {
        const seen = this.seen.get(key.name);
        if (!seen || key.kind || seen.rev >= rev) continue;
        const looks = this.looks.get(recordId(key)) ?? [];
        const answered = looks.findLast((one) => one.rev <= seen.rev)?.text ?? '';
        const isOld = looks.every((one) => one.rev < rev || one.text !== answered);
        if (!isOld || !looks.some((one) => one.rev === rev)) continue;
        this.truth.report(`a watch of ${key.name} shows rev ${seen.rev}, and missed ${rev}`);
      }
    }
  }
}

/** The part of a lock whose changes a watch answers, apart from those caused by time. */
function looksOf(record: LockRecord | null): string {
  if (!record) return '';
  const { holds, queue, frozen } = record;
  const parts = holds.map(({ token, count, releasedAt }) => [token, count, releasedAt ?? 0]);
  if (parts.length === 0 && queue.length === 0 && frozen === null) return '';
  return JSON.stringify([parts, queue.length, frozen !== null]);
}

const textOf = (state: string, holders: readonly { token: number }[], queueLength: number) =>
  `${state} by [${holders.map(({ token }) => token)}], ${queueLength} waiting`;
