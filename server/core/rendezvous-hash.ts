/** The shard that keeps a record, as an index into the list that the function was made from. */
export type ShardOf = (recordId: string) => number;

/**
 * Spreads records over shards by rendezvous hashing: each shard has a weight for each record, and
 * the heaviest keeps it.
 *
 * Guarantees: only the names matter, not the order of the list; records are spread evenly; adding a
 * shard moves records only to the new shard, an even share from each of the others. The function
 * must never change, since it says where stored records are.
 *
 * @param shards their names, at least one, no two the same
 */
export function rendezvousHash(shards: readonly string[]): ShardOf {
  const seeds = shards.map((shard) => hashPair(shard));
  return (recordId) => {
    const [a, b] = hashPair(recordId);
    let home = 0;
    let heaviest = -1;
    for (let i = 0; i < seeds.length; i += 1) {
      const [seedA, seedB] = seeds[i] as Pair;
      const weight = mix(mix(a ^ seedA) ^ b ^ seedB);
      const isTie = weight === heaviest && (shards[i] as string) < (shards[home] as string);
      if (weight <= heaviest && !isTie) continue;
      heaviest = weight;
      home = i;
    }
    return home;
  };
}

type Pair = [number, number];

/** Two independent 32-bit hashes. */
function hashPair(text: string): Pair {
  let [a, b] = [0x811c9dc5, 0x9747b28c];
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x5bd1e995);
    b ^= b >>> 15;
  }
  return [mix(a), mix(b ^ text.length)];
}

/** An unsigned 32-bit integer, every bit of which depends on every input bit. */
function mix(bits: number): number {
  let mixed = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
