import { recordTypeOf } from '@/server/engine/record-type';
import { checkHistory, type RecordedCall } from '@/server/engine/testing/history-checker';
import { VersionSeal } from '@/server/monitoring/watch/version-seal';
import { recordId } from '@/server/storage/record-id';
import type { RecordKey } from '@/server/storage/record-store';
import { AnswerChecks } from './answer-checks';
import { AuditedActions } from './audited-actions';
import { checkFree } from './check-free';
import type { LossyStore } from './lossy-store';
import { type ObservedHold, Referee } from './referee';
import { SimClient } from './sim-client';
import { emptyControlDatabase } from './sim-control-database';
import { SimWatcher } from './sim-watcher';
import { type Flaws, hasNarrowCounter, SimWorld } from './sim-world';
import { worldKind } from './world-kind';

export interface Simulation {
  seed: number;
  /** The violations that were found, in words; empty for a sound build. */
  violations: string[];
  steps: number;
  /** The same for the same seed, for ever, on the same build. */
  digest: string;
  trace: readonly string[];
}

/** Rules that hold whether or not a lock has several holders. */
const RULES_OF_SHARED_LOCKS: ReadonlySet<string> = new Set(['C1 unique', 'C4 gaps']);

/**
 * Rules that a data loss may break: a retried request may count twice, and tokens rise by epochs.
 */
const RULES_WITHOUT_LOSS: ReadonlySet<string> = new Set(['C1 unique', 'C4 gaps']);

/** No seed needs this many steps: a seed that does is in an endless loop. */
const STEPS_MAX = 60_000;

/** Time for the last lease, delay, stop and late write to end. */
const QUIET_MS = 12_000;

/**
 * Plays one seed on the real domain and engine, and checks everything that is promised.
 *
 * @param untilFirst whether it ends at the first violation, since only whether there is one matters
 */
export async function simulate(
  seed: number,
  flaws: Flaws = {},
  { untilFirst = false } = {},
): Promise<Simulation> {
  const kind = worldKind(seed);
  const world = new SimWorld(seed, flaws, kind === 'lossy' ? await emptyControlDatabase() : null);
  if (kind === 'audited') world.audits = new AuditedActions(world, await emptyControlDatabase());
  const truth = new Referee(world, world.lockDelayMs);
  const { scheduler, trace, watchRandom } = world;
  const watcher = watchRandom && new SimWatcher(world, truth, watchRandom);
  truth.onStep = (step) => {
    const { change, at } = step;
    trace.add(JSON.stringify([at, change.key.name, change.rev, change.head, change.events]));
    watcher?.observe(step);
  };
  truth.onDelete = ({ key, before, at }) =>
    trace.add(JSON.stringify([at, key.name, before.rev, 'deleted']));
  if (world.lossyStore) watchLosses(world, world.lossyStore, truth);
  const restore = [scheduler.install(), ...injectFlaws(flaws)];
  try {
    let isOver = false;
    const play = async () => {
      const clients = await begin(world, truth);
      const trouble = world.trouble();
      const watched = watcher?.run();
      await Promise.all(clients.map((client) => client.run()));
      await watched;
      await trouble;
      await scheduler.pause(world.audits?.quietMs ?? QUIET_MS);
      await watcher?.end();
      await end(world, truth, clients);
      isOver = true;
    };
    const played = play();
    const isFound = () => untilFirst && truth.violations.length > 0;
    await scheduler.run(() => isOver || isFound() || scheduler.steps > STEPS_MAX);
    if (isOver) await played;
    else if (!isFound())
      truth.report(
        `a caller still waits after ${scheduler.steps} steps, ${Math.round(scheduler.now)} ms`,
      );
  } finally {
    for (const undo of restore) undo();
  }
  const { violations } = truth;
  return { seed, violations, steps: scheduler.steps, digest: trace.digest(), trace: trace.lines };
}

/** Replaces our decisions, and what we read, by those of a flaw; the functions restore ours. */
function injectFlaws({ locks, counters, version }: Flaws): (() => void)[] {
  const inject = (key: RecordKey, flaw: Flaws['locks'] | Flaws['counters']) => {
    const recordType = recordTypeOf(key);
    const honest = recordType.decide;
    if (flaw) recordType.decide = (flaw as (decide: typeof honest) => typeof honest)(honest);
    return () => {
      recordType.decide = honest;
    };
  };
  const key = { namespace: 'default', name: 'any' };
  const { open } = VersionSeal.prototype;
  if (version) {
    VersionSeal.prototype.open = function (sealed) {
      return version(open.call(this, sealed));
    };
  }
  const restoreSeal = () => {
    VersionSeal.prototype.open = open;
  };
  return [inject(key, locks), inject({ ...key, kind: 'counter' }, counters), restoreSeal];
}

function watchLosses({ keys }: SimWorld, memory: LossyStore, truth: Referee): void {
  memory.onFalseAlarm = () => truth.report('complete data was treated as lost');
  memory.onLoss = (id) => truth.lose(keys.filter((key) => id === null || recordId(key) === id));
}

async function begin(world: SimWorld, truth: Referee): Promise<SimClient[]> {
  const { random, counter } = world;
  const checks = new AnswerChecks(world, truth);
  const processes = world.crowd?.isAlone ? 1 : 1 + Math.floor(random() * 3);
  world.crowd?.populate();
  for (let i = 0; i < processes; i += 1) await world.join();
  const bounds = hasNarrowCounter(world.seed)
    ? { floor: 190, ceiling: 210 }
    : { floor: 0, ceiling: 400 };
  const party = { service: 'orders' };
  const create = { verb: 'create', initial: 200, ...bounds, party, request: null } as const;
  for (let isMade = world.lossyStore !== null; !isMade; await world.scheduler.pause(100)) {
    const engine = (world.anyProcess() ?? (await world.join())).engine;
    const made = engine?.count(counter, create).then(() => true);
    const silence = world.scheduler.pause(7_000).then(() => false);
    isMade = await Promise.race([made?.catch(() => false) ?? silence, silence]);
  }
  const clients = 2 + Math.floor(random() * 5);
  return Array.from({ length: clients }, (_, i) => new SimClient(world, checks, `w${i}`));
}

/** Checks what must be true once all callers have left. */
async function end(world: SimWorld, truth: Referee, clients: SimClient[]): Promise<void> {
  const calls = clients.flatMap(({ calls: made }) =>
    made.map((call) => asOfAnswer(call, world, truth)),
  );
  const granted = (lock: string) => truth.observedHolds.get(`default/${lock}`) ?? new Map();
  const received = new Set(
    calls.flatMap(({ verb, outcome, lock, token }) =>
      verb === 'acquire' && outcome === 'ok' ? [`${lock} ${token}`] : [],
    ),
  );
  const revertedGrants = (lock: string) =>
    [...granted(lock).keys()].filter((token) => !received.has(`${lock} ${token}`)).length;
  const toleranceMs = 5 + world.steppedMs;
  for (const { rule, lock, what } of checkHistory(calls, {
    revertedGrants,
    toleranceMs,
  })) {
    if ((world.shared > 0 || world.permitRandom) && !RULES_OF_SHARED_LOCKS.has(rule)) continue;
    if (world.lossyStore && RULES_WITHOUT_LOSS.has(rule)) continue;
    if (world.crowd && rule === 'C4 gaps') continue;
    truth.report(`${rule} on ${lock}: ${what}`);
  }
  if (!world.lossyStore) checkWholeHistory(world, truth);
  checkTails(world, truth);
  checkGrantsAreExplained(world, truth, clients);
  for (const [id, { granted, size }] of truth.multiLocks) {
    if (granted !== size) truth.report(`${granted} of ${size} locks were granted to the set ${id}`);
  }
  await world.audits?.check(truth);
  await checkFree(world, truth);
}

/** Checks that every rev of every record is in the history exactly once. */
function checkWholeHistory(world: SimWorld, truth: Referee): void {
  const { databases, keys, counter } = world;
  const byRecord = new Map<string, Set<number>>();
  for (const { changes } of databases.flatMap((database) => database.wholeHistory())) {
    for (const { key, events } of changes) {
      const revs = byRecord.get(recordId(key)) ?? new Set();
      byRecord.set(recordId(key), revs);
      for (const { rev } of events) revs.add(rev);
    }
  }
  for (const key of [...keys, counter]) {
    const revs = [...(byRecord.get(recordId(key)) ?? [])].sort((a, b) => a - b);
    const isNext = (rev: number, i: number) => i === 0 || rev === (revs[i - 1] ?? 0) + 1;
    const isWhole = revs.every((rev, i) => isNext(rev, i) || truth.isFirstRev(key, rev));
    const [read] = world.databaseOf(key).read([key], []).records;
    const isDeleted = world.crowd !== null && !read?.record;
    const isUpToDate = revs.length === 0 || isDeleted || revs.at(-1) === read?.record?.rev;
    if (!isWhole || !isUpToDate) truth.report(`the history of ${recordId(key)} has a gap`);
  }
}

/**
 * The call as of its answer, with the lease that it got. A retried acquire is answered with a lease
 * that began before the retry, with the grant or a renewal since: the retry does not make the lease
 * end later. Nor does a renewal that an operator has blocked. Where processes know only a lower
 * bound of the store's clock, a lease ends earlier by the difference, and its answer says so.
 */
function asOfAnswer(call: RecordedCall, world: SimWorld, truth: Referee): RecordedCall {
  const { verb, outcome, lock, token, startedAt, endedAt, leaseMs } = call;
  if (outcome !== 'ok' || token === null) return call;
  const key = { namespace: 'default', name: lock };
  const isBlocked = truth.releaseRequests.isBlocked(recordId(key), token);
  const mayBeShorter =
    verb === 'acquire' ||
    ((verb === 'renew' || verb === 'reenter') && (isBlocked || world.slowReads !== null));
  if (!mayBeShorter) return call;
  const { leases = [] } = truth.observedHold(key, token) ?? {};
  const answered = leases.findLast(({ writtenAt }) => writtenAt <= (endedAt ?? startedAt));
  return answered ? { ...call, leaseMs: Math.min(leaseMs, answered.endsAt - startedAt) } : call;
}

/**
 * Whether a hold ended before any caller could learn of it: it does not count, since its call was
 * decided again.
 */
function isHoldOver(hold: ObservedHold, at: number, { steppedMs }: SimWorld): boolean {
  const never = Number.POSITIVE_INFINITY;
  const { goneAt, lostAt, expiresAt, aheadMs } = hold;
  return Math.min(goneAt ?? never, lostAt ?? never, expiresAt - aheadMs - steppedMs) <= at;
}

/**
 * Checks that no caller is granted a lock after a refusal: each grant must belong to a call that
 * was, or may have been, answered with it.
 */
function checkGrantsAreExplained(world: SimWorld, truth: Referee, clients: SimClient[]): void {
  for (const { owner, calls } of clients) {
    const asked = calls.filter(({ verb }) => verb === 'acquire');
    for (const [id, holds] of truth.observedHolds) {
      for (const [token, hold] of holds) {
        if (hold.owner !== owner || hold.wasLate) continue;
        const isExplained = asked.some(
          ({ lock, startedAt, endedAt, outcome, token: granted, mayFollow }) =>
            `default/${lock}` === id &&
            startedAt <= hold.grantedAt &&
            (granted === token ||
              outcome === 'unknown' ||
              mayFollow ||
              isHoldOver(hold, endedAt ?? 0, world)),
        );
        if (!isExplained) truth.report(`${id}: ${token} was granted to ${owner}, who was refused`);
      }
    }
  }
}

/** A younger line need not be delivered yet in a world whose processes never stop writing. */
const UNDER_WAY_MS = 8_000;

/** Checks that every tail that still runs was delivered every line, and none twice. */
function checkTails({ processes, databases, lossyStore, crowd }: SimWorld, truth: Referee): void {
  for (const { owner, engine, tailed, id } of processes) {
    if (owner.isDead || !engine) continue;
    for (const [i, database] of databases.entries()) {
      const delivered = tailed[i] ?? [];
      const known = new Set(delivered);
      const dueAt = database.now() - (crowd ? UNDER_WAY_MS : 0);
      const due = database.wholeHistory().filter((row) => row.at <= dueAt);
      // A store that loses data may lose lines that no tail has seen yet.
      const missed = lossyStore ? 0 : due.filter((row) => !known.has(row.id)).length;
      if (missed > 0) truth.report(`the tail of ${id} missed ${missed} lines of history`);
      if (known.size < delivered.length) truth.report(`the tail of ${id} delivered a line twice`);
    }
  }
}
