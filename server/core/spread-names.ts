/** Which of some shards keeps a record. The answer is a place in the list that the function was made of. */
export type HomeOf = (recordId: string) => number;

/**
 * Spreads records over shards by rendezvous hashing: each shard has a weight for each record, and the heaviest keeps it.
 *
 * Guarantees: the order of the list does not matter, only the names do; shares are even; of a list with one shard more,
 * only that shard takes records from the others, and takes an even share. It must never change: records stand where it
 * put them.
 *
 * @param shards their names, no two the same, at least one
 */
export function spreadNames(shards: readonly string[]): HomeOf {
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

/** Two hashes of 32 bits that have nothing to do with each other. */
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

/** Every bit of what comes out depends on every bit that goes in. A whole number of 32 bits, without a sign. */
function mix(bits: number): number {
  let mixed = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
