import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FIRST_WINDOW, windowFor } from './list-window';

const covers = (window: { offset: number; limit: number }, first: number, last: number) =>
  window.offset <= first && window.offset + window.limit > last;

describe('the window that a list follows', () => {
  test('stays while what is in view is well inside of it', () => {
    expect(windowFor({ first: 0, last: 30 }, FIRST_WINDOW, 100_000)).toBe(FIRST_WINDOW);
    expect(windowFor({ first: 109, last: 139 }, FIRST_WINDOW, 100_000)).toBe(FIRST_WINDOW);
    expect(windowFor({ first: 40, last: 70 }, FIRST_WINDOW, 71)).toBe(FIRST_WINDOW);
  });

  test('moves before its end comes into view', () => {
    expect(windowFor({ first: 120, last: 150 }, FIRST_WINDOW, 100_000)).toEqual({
      offset: 0,
      limit: 300,
    });
    expect(windowFor({ first: 50_000, last: 50_030 }, FIRST_WINDOW, 100_000)).toEqual({
      offset: 49_850,
      limit: 300,
    });
  });

  test('reaches the last row', () => {
    const last = windowFor({ first: 99_970, last: 99_999 }, FIRST_WINDOW, 100_000);
    expect(covers(last, 99_970, 99_999)).toBe(true);
  });

  test('covers the visible rows at any position, and accepts the window that it chose', () => {
    const seed = (Math.random() * 0x7fffffff) | 0;
    console.info(`fast-check seed ${seed}`);
    const place = fc.integer({ min: 0, max: 120_000 });
    const sizes = fc.integer({ min: 1, max: 450 });
    fc.assert(
      fc.property(
        place,
        sizes,
        place,
        fc.integer({ min: 1, max: 500 }),
        (first, size, offset, limit) => {
          const view = { first, last: first + size - 1 };
          const count = 121_000;
          const next = windowFor(view, { offset, limit }, count);
          expect(covers(next, view.first, view.last)).toBe(true);
          expect(windowFor(view, next, count)).toBe(next);
        },
      ),
      { seed },
    );
  });
});
