import type { ShardList } from '../../../db/urls/shard-list';
import {
  type FoundStamp,
  isMoving,
  type ShardIdentity,
  servingStamp,
  startingStamp,
} from './shard-map-stamp';

/** A shard of the list that was inspected. */
export interface InspectedShard {
  name: string;
  /** Null: it did not answer. */
  found: FoundStamp | null;
  /** Why it did not answer, in whole sentences; null or absent: it gave no reason. */
  refusal?: string | null;
}

/**
 * - `serve`: every shard that answered has this stamp.
 * - `begin`: all of them answered, none has ever served, and none stores anything.
 * - `refuse`: another list is or may be in force; with the reason, for people.
 * - `wait`: too few answered for a verdict.
 */
export type ShardVerdict =
  | { verdict: 'serve'; stamp: string; generation: number; grantsFrom: number }
  | { verdict: 'begin' }
  | { verdict: 'refuse' | 'wait'; why: string };

/** A shard that answered, and is or was one. */
interface StampedShard {
  name: string;
  stamp: string;
  identity: ShardIdentity;
}

/** Whether a process with this list may be served, judging by its shards' stamps. */
export function evaluateShards(
  backend: string,
  list: ShardList,
  inspected: InspectedShard[],
): ShardVerdict {
  const answered = inspected.flatMap(({ name, found }) => (found ? [{ name, ...found }] : []));
  const serving = stampedOf(answered).filter(({ stamp }) => stamp !== startingStamp(list));
  const why = refusalOf(backend, list, answered, serving);
  if (why !== null) return { verdict: 'refuse', why };
  const [first] = serving;
  if (first && serving.length === answered.length) {
    const { stamp, identity } = first;
    const grantsFrom = latestPause(serving);
    return { verdict: 'serve', stamp, generation: identity.generation, grantsFrom };
  }
  const silent = inspected.filter(({ found }) => !found);
  return silent.length === 0 ? { verdict: 'begin' } : waitFor(backend, silent);
}

/**
 * Whether a list of new shards must not begin, because a shard that leaves may still serve or store
 * what it served; null: it may begin.
 */
export function evaluateLeaving(backend: string, leaving: InspectedShard[]): ShardVerdict | null {
  const used = leaving.find(({ found }) => found && (found.stamp !== null || !found.isEmpty));
  if (used) {
    const why =
      `The backend "${backend}" keeps its locks on ${used.name}, which is to leave. To move ` +
      `them, run "lockyard backends reshard ${backend}".`;
    return { verdict: 'refuse', why };
  }
  const silent = leaving.filter(({ found }) => !found);
  return silent.length > 0 ? waitFor(backend, silent) : null;
}

function waitFor(backend: string, silent: InspectedShard[]): ShardVerdict {
  const names = silent.map(({ name }) => name).join(', ');
  const reasons = silent.map(({ name, refusal }) => (refusal ? ` On ${name}: ${refusal}` : ''));
  const text = `The backend "${backend}" cannot begin before all of its shards answer: ${names}.`;
  return { verdict: 'wait', why: text + reasons.join('') };
}

/**
 * Why another list is in force, or may be, for people; null: nothing that was found says so.
 *
 * @param serving those of the stamped ones that are not about to serve for the first time
 */
function refusalOf(
  backend: string,
  list: ShardList,
  answered: (FoundStamp & { name: string })[],
  serving: StampedShard[],
): string | null {
  const wayOut = `run "lockyard backends reshard ${backend}".`;
  const stamped = stampedOf(answered);
  if (stamped.some(({ stamp }) => isMoving(stamp))) {
    return `The backend "${backend}" is being resharded. If no reshard is running, ${wayOut}`;
  }

  const other = serving.find(
    ({ stamp, identity }) => stamp !== servingStamp(list, identity.generation),
  );
  if (other) {
    return (
      `The backend "${backend}" is served with another list of shards: ` +
      `${other.identity.members.join(', ')}. Start this server with that list, or ${wayOut}`
    );
  }

  const renamed = stamped.find(({ name, identity }) => identity.self !== name);
  if (renamed) {
    const { name, identity } = renamed;
    const isNamedTwice = list.shards.some((shard) => shard.name === identity.self);
    if (isNamedTwice) return oneDatabase(backend, name, identity.self);
    return (
      `The shard ${name} of the backend "${backend}" is known as ${identity.self}. If it was ` +
      `renamed, ${wayOut}`
    );
  }

  const unstamped = answered.filter(({ stamp }) => stamp === null);
  const lost = unstamped.find(({ isEmpty }) => serving.length > 0 || !isEmpty);
  if (lost) {
    const what = lost.isEmpty
      ? 'has lost its data'
      : 'was never one of its shards, and contains locks';
    return `The database ${lost.name} of the backend "${backend}" ${what}. To continue, ${wayOut}`;
  }

  if (serving.some(({ stamp }) => stamp !== serving[0]?.stamp)) {
    return (
      `A shard of the backend "${backend}" was restored to an earlier state. ` +
      `To continue, ${wayOut}`
    );
  }
  return null;
}

function stampedOf(found: (FoundStamp & { name: string })[]): StampedShard[] {
  return found.flatMap(({ name, stamp, identity }) =>
    stamp !== null && identity ? [{ name, stamp, identity }] : [],
  );
}

/** The latest instant before which a shard must not grant names that were never used; 0: none. */
function latestPause(stamped: StampedShard[]): number {
  return Math.max(0, ...stamped.map(({ identity }) => identity.grantsFrom ?? 0));
}

const oneDatabase = (backend: string, name: string, other: string) =>
  `The shards ${name} and ${other} of the backend "${backend}" are one database, or one is a ` +
  'copy of the other. Name each database once.';

/** What must be known before records are moved. */
export interface ShardInspection {
  /** By name: every shard that may hold records, of the previous list and of this one. */
  members: string[];
  /** The members that have lost records. */
  lost: string[];
  /** The highest epoch stamped on any of them; 0 if none is. */
  generation: number;
  /** The latest instant until which an earlier reshard pauses grants; 0: none. */
  grantsFrom: number;
}

/**
 * Plans a reshard from what all shards carry, including those that leave.
 *
 * @returns the plan, or why it must not be done, in sentences for people
 */
export function inspectShards(
  backend: string,
  { shards, leaving, fingerprint }: ShardList,
  founds: ReadonlyMap<string, FoundStamp>,
): ShardInspection | string {
  const stamped = stampedOf([...founds].map(([name, found]) => ({ name, ...found })));
  const generation = Math.max(0, ...stamped.map(({ identity }) => identity.generation));
  const newest = stamped.filter(({ identity }) => identity.generation === generation);
  const before = [...new Set(newest.flatMap(({ identity }) => identity.members))];
  const selves = new Set(stamped.flatMap(({ name, identity }) => [name, identity.self]));
  const missing = before.filter((name) => !founds.has(name) && !selves.has(name));
  if (missing.length > 0) {
    const more = missing.map((name) => `leaving:mysql://…@${name}`).join(', ');
    return (
      `The backend "${backend}" keeps locks on ${missing.join(', ')}, which is not named here. ` +
      `So that nothing is lost, name what leaves as well: ${more}.`
    );
  }
  for (const { name, stamp, identity } of stamped) {
    const isSame = (other: (typeof stamped)[number]) =>
      other.name !== name && other.stamp === stamp && other.identity.self === identity.self;
    const duplicate = stamped.find(isSame);
    if (duplicate) return oneDatabase(backend, name, duplicate.name);
  }
  const inUse = [...founds].find(([, { stamp, isInUse }]) => stamp === null && isInUse);
  if (inUse) {
    return `A server uses ${inUse[0]} without knowing it as a shard. Stop every such server first.`;
  }
  const inForce = servingStamp({ fingerprint }, generation);
  const isDone =
    shards.every(({ name }) => founds.get(name)?.stamp === inForce) &&
    stamped.every(({ name, identity }) => identity.self === name) &&
    leaving.every(({ name }) => founds.get(name)?.isEmpty);
  if (isDone) return `The backend "${backend}" is served with this list already.`;
  return {
    members: [...new Set([...shards, ...leaving].map(({ name }) => name))],
    lost: lostOf(before, stamped, founds, generation),
    generation,
    grantsFrom: latestPause(stamped),
  };
}

/**
 * Shards that were in service and no longer have that stamp: recreated, or restored from a dump. A
 * shard with an older stamp while others carry a move's stamp is not lost: that move was
 * interrupted before it reached the shard. One without any stamp is: a move begins when all have
 * one.
 */
function lostOf(
  before: string[],
  stamped: StampedShard[],
  founds: ReadonlyMap<string, FoundStamp>,
  generation: number,
): string[] {
  const moving = stamped.find(
    ({ stamp, identity }) => isMoving(stamp) && identity.generation === generation,
  );
  if (moving) {
    const isGone = (name: string) => generation > 0 && founds.get(name)?.stamp === null;
    const known = stamped.flatMap(({ stamp, identity }) => (isMoving(stamp) ? identity.lost : []));
    return [...new Set([...known, ...moving.identity.members.filter(isGone)])];
  }
  const byOwnName = new Map(
    [...founds].map(([name, found]) => [found.identity?.self ?? name, { name, found }]),
  );
  return before.flatMap((self) => {
    const one = byOwnName.get(self);
    return one && one.found.identity?.generation !== generation ? [one.name] : [];
  });
}
