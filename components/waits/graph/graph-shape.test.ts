import { expect, it } from 'vitest';
import type { WaitGraph } from '@/server/contract/console/waits/wait-graph';
import { drawingsOf } from './graph-shape';
import { layOut, wholeNameWidths } from './lay-out';

const owner = (name: string) => ({ service: 'billing', owner: name });

/** A lock that `busy` holds, and for which these wait. */
function graphOf(...waiters: number[]): WaitGraph {
  return {
    heads: [{ owners: [0], deadlock: null, locks: [0] }],
    owners: [owner('busy'), owner('idle')],
    locks: [
      {
        id: '1',
        backend: 'default',
        status: 'contended',
        holders: [{ owner: 0, token: 1 }],
        waiters: waiters.map((each) => ({ owner: each })),
        waiting: waiters.length,
      },
    ],
    backends: [],
  } as unknown as WaitGraph;
}

it('leads to the panel of a head blocker, which itself is drawn only if it also waits', () => {
  for (const [waiters, drawn] of [
    [[1], ['head', 'lock', 'owner']],
    [
      [0, 1],
      ['head', 'lock', 'owner', 'owner'],
    ],
  ] as const) {
    const [drawing] = drawingsOf(graphOf(...waiters));
    expect(drawing?.shapes.map(({ kind }) => kind).sort()).toEqual(drawn);
    const panel = drawing?.shapes.find(({ kind }) => kind === 'head')?.id;
    expect(drawing?.lines.filter(({ to }) => to === 'lock 1').map(({ from }) => from)).toEqual([
      panel,
    ]);
    expect(drawing?.lines.filter(({ from }) => from === 'lock 1')).toHaveLength(waiters.length);
  }
});

/** A deadlock of so many owners, each of which waits for the lock of the next one. */
function ringOf(owners: number): WaitGraph {
  const places = Array.from({ length: owners }, (_, place) => place);
  const steps = places.map((place) => ({ owner: place, lock: place, token: place }));
  return {
    heads: [{ owners: places, deadlock: { id: 'd', steps }, locks: places }],
    owners: places.map((place) => owner(`owner-${place}`)),
    locks: places.map((place) => ({
      id: String(place),
      name: `lock-${place}`,
      backend: 'default',
      status: 'contended',
      holders: [{ owner: (place + 1) % owners, token: place, grantedAt: place }],
      waiters: [{ owner: place }],
      waiting: 1,
    })),
    backends: [],
  } as unknown as WaitGraph;
}

it('draws a deadlock as a ring, of whose lines half lead back, beside its panel at 1440 px', () => {
  for (const [owners, room] of [
    [2, 940],
    [3, 1_200],
  ] as const) {
    const [ring] = drawingsOf(ringOf(owners));
    if (!ring) throw new Error('not drawn');
    expect(ring.lines.map(({ look }) => look)).toEqual(Array(2 * owners).fill('deadlock'));
    expect(ring.lines.filter(({ isBack }) => isBack)).toHaveLength(owners);
    const { places, width } = layOut(ring, room, wholeNameWidths([ring]));
    expect(width).toBeLessThanOrEqual(room);
    for (const { from, to, isBack } of ring.lines) {
      const [start = 0, end = 0] = [places.get(from)?.x, places.get(to)?.x];
      expect(isBack ? start - end : end - start).toBeGreaterThan(200);
    }
  }
});

it('draws a deadlock of two without a need to scroll beside its panel from 900 px on', () => {
  const [ring] = drawingsOf(ringOf(2));
  if (!ring) throw new Error('not drawn');
  const widest = wholeNameWidths([ring]);
  // What is left by the navigation, the panel, the margins and a scroll bar.
  for (const room of [481, 605, 746])
    expect(layOut(ring, room, widest).width).toBeLessThanOrEqual(room);
});
