import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rendezvousHash } from './rendezvous-hash';
import { RUNS } from './testing/property-runs';

const name = fc.string({ minLength: 1, maxLength: 40 });
const lists = fc.uniqueArray(name, { minLength: 1, maxLength: 32 });
const homeIn = (shards: string[]) => {
  const homeOf = rendezvousHash(shards);
  return (id: string) => shards[homeOf(id)] as string;
};

describe('names over shards', () => {
  it('stay on their shards, in whatever order these are listed', () => {
    fc.assert(
      fc.property(lists, fc.infiniteStream(fc.nat()), fc.array(name), (shards, random, ids) => {
        const other = shards
          .map((shard) => ({ shard, at: random.next().value as number }))
          .sort((x, y) => x.at - y.at)
          .map(({ shard }) => shard);
        for (const id of ids) expect(homeIn(other)(id)).toBe(homeIn(shards)(id));
      }),
      RUNS,
    );
  });

  it('move only to a new shard', () => {
    fc.assert(
      fc.property(lists, name, fc.array(name, { minLength: 1 }), (shards, fresh, ids) => {
        fc.pre(!shards.includes(fresh));
        for (const id of ids) {
          const [before, after] = [homeIn(shards)(id), homeIn([...shards, fresh])(id)];
          expect([before, fresh]).toContain(after);
        }
      }),
      RUNS,
    );
  });

  const addresses = (count: number) =>
    Array.from({ length: count }, (_, i) => `db${i + 1}.internal:3306/lockyard`);
  const ids = Array.from({ length: 40_000 }, (_, i) => `default/invoices:${i}`);

  it.each([2, 3, 5, 8, 32])('are spread evenly over %d', (count) => {
    const shards = addresses(count);
    const shares = new Map<string, number>();
    for (const id of ids) {
      const home = homeIn(shards)(id);
      shares.set(home, (shares.get(home) ?? 0) + 1);
    }
    const even = ids.length / count;
    for (const shard of shards) {
      // Six standard deviations of a fair draw.
      expect(Math.abs((shares.get(shard) ?? 0) - even)).toBeLessThan(6 * Math.sqrt(even));
    }
  });

  it.each([2, 3, 8])('move as little as possible when a shard joins %d', (count) => {
    const [before, after] = [homeIn(addresses(count)), homeIn(addresses(count + 1))];
    const moved = ids.filter((id) => before(id) !== after(id)).length;
    const fair = ids.length / (count + 1);
    expect(Math.abs(moved - fair)).toBeLessThan(6 * Math.sqrt(fair));
  });

  it('stay where an earlier version placed them', () => {
    const homes = ['default/job', 'default/JOB', 'default/job ', 'default/jób', 'a#b', 'a/b'];
    expect(homes.map((id) => rendezvousHash(addresses(5))(id))).toMatchInlineSnapshot(`
      [
        2,
        0,
        0,
        0,
        1,
        4,
      ]
    `);
  });
});
