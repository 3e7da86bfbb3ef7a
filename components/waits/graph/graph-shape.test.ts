import { expect, it } from 'vitest';
import type { WaitGraph } from '@/server/contract/console/waits/wait-graph';
import { drawingsOf } from './graph-shape';

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
