import type { ShardList } from '../../../db/urls/shard-list';
import { type FoundStamp, isMoving, servingStamp } from './shard-map-stamp';

/** What must be known before records are moved. */
export interface ShardInspection {
  /** By name: every shard that may hold records, of the previous list and of this one. */
  members: string[];
  /** The members that have lost records. */
  lost: string[];
  /** The highest epoch stamped on any of them; 0 if none is. */
  generation: number;
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
  const stamped = [...founds].flatMap(([name, { stamp, place }]) =>
    stamp !== null && place ? [{ name, stamp, place }] : [],
  );
  const generation = Math.max(0, ...stamped.map(({ place }) => place.generation));
  const newest = stamped.filter(({ place }) => place.generation === generation);
  const before = [...new Set(newest.flatMap(({ place }) => place.members))];
  const selves = new Set(stamped.flatMap(({ name, place }) => [name, place.self]));
  const missing = before.filter((name) => !founds.has(name) && !selves.has(name));
  if (missing.length > 0) {
    const more = missing.map((name) => `leaving:mysql://…@${name}`).join(', ');
    return `The backend "${backend}" keeps locks on ${missing.join(', ')}, which is not named here. So that nothing is lost, name what leaves as well: ${more}.`;
  }
  const lived = [...founds].find(([, { stamp, isInUse }]) => stamp === null && isInUse);
  if (lived) {
    return `A server runs over ${lived[0]} that does not know it as a shard. Stop every one of them first.`;
  }
  const inForce = servingStamp({ fingerprint }, generation);
  const isDone =
    shards.every(({ name }) => founds.get(name)?.stamp === inForce) &&
    stamped.every(({ name, place }) => place.self === name) &&
    leaving.every(({ name }) => founds.get(name)?.isEmpty);
  if (isDone) return `The backend "${backend}" is served with this list already.`;
  return {
    members: [...new Set([...shards, ...leaving].map(({ name }) => name))],
    lost: lostOf(before, newest, founds, generation),
    generation,
  };
}

/**
 * Shards that were in service and no longer have that stamp: recreated, or restored from a dump. A
 * shard with an older stamp while others carry a move's stamp is not lost: that move was
 * interrupted before it reached the shard.
 */
function lostOf(
  before: string[],
  newest: { stamp: string; place: NonNullable<FoundStamp['place']> }[],
  founds: ReadonlyMap<string, FoundStamp>,
  generation: number,
): string[] {
  const moving = newest.find(({ stamp }) => isMoving(stamp));
  if (moving) return moving.place.lost;
  const byOwnName = new Map(
    [...founds].map(([name, found]) => [found.place?.self ?? name, { name, found }]),
  );
  return before.flatMap((self) => {
    const one = byOwnName.get(self);
    return one && one.found.place?.generation !== generation ? [one.name] : [];
  });
}
