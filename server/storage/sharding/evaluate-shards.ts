import type { ShardList } from '../../../db/urls/shard-list';
import { type FoundStamp, isMoving, servingStamp, startingStamp } from './shard-map-stamp';

/** A shard of the list that was inspected. Null: it did not answer. */
export interface InspectedShard {
  name: string;
  found: FoundStamp | null;
}

/**
 * - `serve`: every shard that answered has this stamp.
 * - `begin`: all of them answered, none has ever served, and none stores anything.
 * - `refuse`: another list is or may be in force; with the reason, for people.
 * - `wait`: too few answered to tell.
 */
export type ShardVerdict =
  | { verdict: 'serve'; stamp: string; generation: number }
  | { verdict: 'begin' }
  | { verdict: 'refuse' | 'wait'; why: string };

/** Whether a process with this list may be served, judging by its shards' stamps. */
export function evaluateShards(
  backend: string,
  list: ShardList,
  looked: InspectedShard[],
): ShardVerdict {
  const wayOut = `run "lockyard backends reshard ${backend}".`;
  const refuse = (why: string): ShardVerdict => ({ verdict: 'refuse', why });
  const answered = looked.flatMap(({ name, found }) => (found ? [{ name, ...found }] : []));
  const away = looked.filter(({ found }) => !found).map(({ name }) => name);
  const stamped = answered.flatMap(({ name, stamp, place }) =>
    stamp !== null && place ? [{ name, stamp, place }] : [],
  );
  if (stamped.some(({ stamp }) => isMoving(stamp))) {
    return refuse(`The backend "${backend}" is being resharded. If nobody is at it, ${wayOut}`);
  }
  const other = stamped.find(
    ({ stamp, place }) =>
      stamp !== servingStamp(list, place.generation) && stamp !== startingStamp(list),
  );
  if (other) {
    return refuse(
      `The backend "${backend}" is served with another list of shards: ${other.place.members.join(', ')}. Start this server with that list, or ${wayOut}`,
    );
  }
  const renamed = stamped.find(({ name, place }) => place.self !== name);
  if (renamed) {
    const { name, place } = renamed;
    if (list.shards.some((shard) => shard.name === place.self)) {
      return refuse(
        `The shards ${name} and ${place.self} of the backend "${backend}" are one database, or one is a copy of the other. Name each database once.`,
      );
    }
    return refuse(
      `The shard ${name} of the backend "${backend}" is known as ${place.self}. If it was renamed, ${wayOut}`,
    );
  }
  const serving = stamped.filter(({ stamp }) => stamp !== startingStamp(list));
  const unstamped = answered.filter(({ stamp }) => stamp === null);
  const [first] = serving;
  const lost = unstamped.find(({ isEmpty }) => first !== undefined || !isEmpty);
  if (lost) {
    const what = lost.isEmpty
      ? 'has lost its memory'
      : 'was never one of its shards, and keeps locks';
    return refuse(
      `The database ${lost.name} of the backend "${backend}" ${what}. To go on, ${wayOut}`,
    );
  }
  if (serving.some(({ stamp }) => stamp !== first?.stamp)) {
    return refuse(
      `A shard of the backend "${backend}" was put back to an earlier state. To go on, ${wayOut}`,
    );
  }
  if (first && serving.length === answered.length) {
    return { verdict: 'serve', stamp: first.stamp, generation: first.place.generation };
  }
  if (away.length === 0) return { verdict: 'begin' };
  const why = `The backend "${backend}" cannot begin before all of its shards answer: ${away.join(', ')}.`;
  return { verdict: 'wait', why };
}
