import { Graph, layout } from '@dagrejs/dagre';
import type { Drawing, Shape } from './graph-shape';

export const SIZES: Record<Shape['kind'], { width: number; height: number }> = {
  owner: { width: 192, height: 46 },
  lock: { width: 200, height: 46 },
  rest: { width: 150, height: 28 },
};

const GAP = 34;

/** Room below a drawing for a line that leads back. */
const BACK_ROOM = 28;

/** Where a shape is drawn: its top left corner. */
export interface Place {
  x: number;
  y: number;
}

/** Lays the drawings out from left to right, what blocks before what waits, one below the other. */
export function layOut(drawings: readonly Drawing[]): Map<string, Place> {
  const places = new Map<string, Place>();
  let top = 0;
  for (const { shapes, lines } of drawings) {
    const graph = new Graph();
    graph.setGraph({ rankdir: 'LR', nodesep: 10, ranksep: 40, ranker: 'network-simplex' });
    graph.setDefaultEdgeLabel(() => ({}));
    for (const { id, kind } of shapes) graph.setNode(id, { ...SIZES[kind] });
    for (const { from, to, isBack } of lines) if (!isBack) graph.setEdge(from, to);
    layout(graph);
    for (const { id, kind } of shapes) {
      const { x, y } = graph.node(id);
      const { width, height } = SIZES[kind];
      places.set(id, { x: x - width / 2, y: top + y - height / 2 });
    }
    const below = lines.some(({ isBack }) => isBack) ? BACK_ROOM : 0;
    top += (graph.graph().height ?? 0) + below + GAP;
  }
  return places;
}
