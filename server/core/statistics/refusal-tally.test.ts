import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addRefusals, type RefusalCounts, type RefusalSpan, refusalsUntil } from './refusal-counts';
import { COUNTED_OWNERS_MIN, RefusalTally } from './refusal-tally';

const caller = (owner: string, service = 'orders') => ({ service, owner });
const countsOf = (tally: RefusalTally): RefusalCounts => {
  const counts = tally.counts();
  if (!counts) throw new Error('Nothing was counted.');
  return counts;
};
const attemptsOf = (spans: (RefusalSpan | null)[]) =>
  spans.reduce((sum, span) => sum + (span?.attempts ?? 0), 0);

describe('refused attempts', () => {
  it('are counted by owner and service, the most frequent first', () => {
    const tally = new RefusalTally();
    expect(tally.counts()).toBeNull();
    tally.note(caller('w1'), 7, 100);
    tally.note(caller('w2'), 7, 200);
    tally.note(caller('w2'), 7, 300);
    tally.note(caller('w2', 'billing'), 7, 400);
    expect(countsOf(tally)).toEqual({
      all: { attempts: 4, token: 7, firstAt: 100, lastAt: 400 },
      owners: [
        { ...caller('w2'), attempts: 2, token: 7, firstAt: 200, lastAt: 300 },
        { ...caller('w2', 'billing'), attempts: 1, token: 7, firstAt: 400, lastAt: 400 },
        { ...caller('w1'), attempts: 1, token: 7, firstAt: 100, lastAt: 100 },
      ],
      others: null,
    });
  });

  it('up to an instant omit later owners, and are estimated for those that continued', () => {
    const span = { attempts: 11, token: 1, firstAt: 100, lastAt: 200 };
    const early = { ...span, service: 'a', owner: 'early', attempts: 3, lastAt: 120 };
    const late = { ...span, service: 'a', owner: 'late', firstAt: 180 };
    const counts: RefusalCounts = { all: span, owners: [late, early], others: { ...span } };
    expect(refusalsUntil(counts, 99)).toBeNull();
    expect(refusalsUntil(counts, 150)).toEqual({
      all: { ...span, attempts: 6, lastAt: 150 },
      owners: [early],
      others: { ...span, attempts: 6, lastAt: 150 },
    });
    expect(refusalsUntil(counts, 200)).toEqual(counts);
  });

  it('of one owner begin with the last hold, even if a refusal names none', () => {
    const tally = new RefusalTally();
    tally.note(caller('w1'), 7, 100);
    tally.note(caller('w1'), 9, 200);
    tally.note(caller('w1'), 0, 300);
    const [w1] = countsOf(tally).owners;
    expect(w1).toMatchObject({ attempts: 3, token: 9, firstAt: 200, lastAt: 300 });
  });

  it('of many owners name the 20 most frequent, and add up the rest', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(200), { minLength: 400, maxLength: 800 }), (noise) => {
        const tally = new RefusalTally(COUNTED_OWNERS_MIN);
        // Ten owners make more than a 40th of all attempts each, among many that come now and then.
        for (const [i, other] of noise.entries()) {
          tally.note(caller(`other-${other}`), 1, i);
          tally.note(caller(`often-${i % 10}`), 1, i);
        }
        const { all, owners, others } = countsOf(tally);
        expect(owners).toHaveLength(20);
        const named = owners.map(({ owner }) => owner);
        for (let i = 0; i < 10; i += 1) expect(named).toContain(`often-${i}`);
        expect(all.attempts).toBe(2 * noise.length);
        expect(attemptsOf([...owners, others])).toBe(all.attempts);
      }),
      { numRuns: 20 },
    );
  });

  it('of many equally frequent owners are counted in full for each that is named', () => {
    const tally = new RefusalTally();
    for (let i = 0; i < 5_000; i += 1) tally.note(caller(`w${i % 50}`), 7, i);
    const { owners, others } = countsOf(tally);
    expect(owners).toHaveLength(20);
    for (const { attempts } of owners) expect(attempts).toBe(100);
    expect(others?.attempts).toBe(3_000);
  });

  it('of several processes add up, in any order', () => {
    const [one, two] = [new RefusalTally(), new RefusalTally()];
    one.note(caller('w1'), 7, 100);
    one.note(caller('w2'), 7, 150);
    two.note(caller('w1'), 7, 90);
    two.note(caller('w2'), 9, 400);
    for (let i = 0; i < 30; i += 1) two.note(caller(`x${i}`), 9, 80);
    const sum = addRefusals(countsOf(one), countsOf(two));
    expect(sum).toEqual(addRefusals(countsOf(two), countsOf(one)));
    expect(sum.all).toEqual({ attempts: 34, token: 9, firstAt: 400, lastAt: 400 });
    expect(sum.owners).toHaveLength(20);
    expect(sum.owners.slice(0, 2)).toEqual([
      // Of two holds the later one counts.
      { ...caller('w2'), attempts: 2, token: 9, firstAt: 400, lastAt: 400 },
      { ...caller('w1'), attempts: 2, token: 7, firstAt: 90, lastAt: 100 },
    ]);
    expect(attemptsOf([...sum.owners, sum.others])).toBe(34);
  });
});
