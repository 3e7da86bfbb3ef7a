import { describe, expect, it } from 'vitest';
import type { Drawing } from './graph-shape';
import { layOut, wholeNameWidths } from './lay-out';

/** A chain of locks, each held by an owner that waits for the previous one. */
function chain(length: number): Drawing {
  const ids = Array.from({ length }, (_, place) => String(place));
  const shapes = ids.map((id) => ({ kind: 'rest', id, count: 1, look: 'plain' }) as const);
  const [head, ...rest] = shapes.map((shape, place) =>
    place % 2 === 0 ? shape : { ...shape, kind: 'owner' as const },
  );
  const lines = ids.slice(1).map((to, place) => {
    return { from: String(place), to, look: 'plain' as const, isBack: false };
  });
  return { heads: ['0'], shapes: [head, ...rest] as Drawing['shapes'], lines };
}

const UNLIMITED = { owner: Number.POSITIVE_INFINITY, lock: Number.POSITIVE_INFINITY };

const ownerWidth = (drawing: Drawing, room: number) =>
  layOut(drawing, room, UNLIMITED).sizes.owner.width;

describe('a drawing', () => {
  it('uses the widest shapes that fit, and narrower ones if it is longer', () => {
    for (const room of [1_000, 1_300]) {
      for (const length of [3, 5])
        expect(layOut(chain(length), room, UNLIMITED).width).toBeLessThan(room);
      expect(ownerWidth(chain(3), room)).toBeGreaterThan(ownerWidth(chain(5), room));
    }
  });

  it('has the waiters of a lock in the order of its queue', () => {
    const waiters = ['d', 'b', 'e', 'a', 'c'];
    const shapes = ['lock', 'c', 'a', 'e', 'd', 'b'].map((id) => ({
      kind: 'owner',
      id,
      look: 'plain',
    }));
    const lines = waiters.map((to) => {
      return { from: 'lock', to, look: 'plain' as const, isBack: false };
    });
    const drawing = { heads: [], shapes, lines } as unknown as Drawing;
    const { places } = layOut(drawing, 1_000, UNLIMITED);
    const down = [...waiters].sort((a, b) => (places.get(a)?.y ?? 0) - (places.get(b)?.y ?? 0));
    expect(down).toEqual(waiters);
    expect(new Set(waiters.map((id) => places.get(id)?.y)).size).toBe(waiters.length);
  });

  it('has the callers that are not drawn one by one below those of the same lock', () => {
    for (const place of [0, 2, 5]) {
      const ids = ['a', 'b', 'c', 'd', 'e'];
      ids.splice(place, 0, 'rest');
      const shapes = ['lock', ...ids].map((id) => ({ kind: id === 'rest' ? id : 'owner', id }));
      const lines = ids.map((to) => ({ from: 'lock', to, look: 'plain', isBack: false }));
      const drawing = { heads: [], shapes, lines } as unknown as Drawing;
      const { places, sizes, height } = layOut(drawing, 1_000, UNLIMITED);
      const at = (id: string) => places.get(id) ?? { x: 0, y: 0 };
      const down = [...ids].sort((a, b) => at(a).y - at(b).y);
      expect(down).toEqual(['a', 'b', 'c', 'd', 'e', 'rest']);
      expect(at('rest').x).toBe(at('a').x);
      expect(at('rest').y).toBe(at('e').y + sizes.owner.height + 10);
      expect(at('rest').y + sizes.rest.height).toBeLessThanOrEqual(height);
    }
  });

  it('is no wider than the longest name needs, and aligned with the other drawings', () => {
    const held = (name: string) =>
      ({
        heads: [],
        shapes: [
          { kind: 'lock', id: 'lock', lock: { name } },
          { kind: 'owner', id: 'owner', owner: { owner: name } },
        ],
        lines: [{ from: 'lock', to: 'owner', look: 'plain', isBack: false }],
      }) as unknown as Drawing;
    const [short, long] = [held('a'), held('x'.repeat(34))];
    const widest = wholeNameWidths([short, long]);
    for (const drawing of [short, long]) {
      const { owner, lock } = layOut(drawing, 2_000, widest).sizes;
      expect(owner.width).toBe(lock.width);
      expect(owner.width).toBeGreaterThanOrEqual(34 * 7.2);
      expect(owner.width).toBeLessThan(300);
    }
    expect(wholeNameWidths([short])).toEqual({ owner: 192, lock: 200 });
    expect(wholeNameWidths([held('ロック')])).toEqual(UNLIMITED);
  });

  it('has higher shapes where the narrowest would cut what is below a name', () => {
    const [wide, narrow] = [540, 500].map((room) => layOut(chain(3), room, UNLIMITED).sizes.owner);
    expect(wide).toEqual({ width: 156, height: 46 });
    expect(narrow).toEqual({ width: 114, height: 64 });
  });

  it('keeps the minimum width if there is no room at all', () => {
    expect(ownerWidth(chain(3), 0)).toBe(192);
  });
});
