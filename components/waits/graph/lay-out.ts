import { Graph, layout } from '@dagrejs/dagre';
import { BREAK_BUTTON, SHORT_BREAK_BUTTON } from './break-line';
import type { Drawing, Shape } from './graph-shape';

/** The sizes of shapes, and of the act on a line, in pixels. */
type Sizes = Record<Shape['kind'] | 'break', { width: number; height: number }>;

const SIZES: Sizes = {
  owner: { width: 192, height: 46 },
  lock: { width: 200, height: 46 },
  rest: { width: 150, height: 28 },
  head: { width: 1, height: 1 },
  break: BREAK_BUTTON,
};

/** Sizes for longer names, where there is room; the widest first. */
const WIDER_SIZES: readonly Sizes[] = [
  { ...SIZES, owner: { width: 440, height: 46 }, lock: { width: 480, height: 46 } },
  { ...SIZES, owner: { width: 300, height: 46 }, lock: { width: 320, height: 46 } },
];

/** The height of a shape in which what is below the name may take two lines, in pixels. */
export const HIGH_SHAPE = 64;

/**
 * Sizes for a small screen, the widest first. At the narrowest a deadlock of two is as wide as what
 * is beside its panel at 900 px.
 */
const NARROWER_SIZES: readonly Sizes[] = [
  { width: 156, height: 46 },
  { width: 114, height: HIGH_SHAPE },
].map((size) => ({ ...SIZES, owner: size, lock: size, break: SHORT_BREAK_BUTTON }));

/** The width of a letter of a name, and of both sides of a shape beside its name, in pixels. */
const LETTER = 7.3;
const SIDES = 24;

/** Between the shapes of a column, in pixels. */
export const ROW_GAP = 10;

/** Where a shape is in its drawing: its top left corner. */
export interface Place {
  x: number;
  y: number;
}

/** A drawing that is laid out. */
export interface Layout {
  places: ReadonlyMap<string, Place>;
  sizes: Sizes;
  width: number;
  height: number;
}

/** How wide owners and locks are at most, in pixels. */
export type Widest = Record<'owner' | 'lock', number>;

/**
 * The widths at which every name of these drawings is whole; no limit where a name has letters
 * whose widths only the browser knows. All drawings share them, so their columns are in line.
 */
export function wholeNameWidths(drawings: readonly Drawing[]): Widest {
  const widest = { owner: SIZES.owner.width, lock: SIZES.lock.width };
  for (const shape of drawings.flatMap(({ shapes }) => shapes)) {
    if (shape.kind !== 'owner' && shape.kind !== 'lock') continue;
    const name = shape.kind === 'owner' ? shape.owner.owner : shape.lock.name;
    const isPlain = /^[ -~]*$/.test(name);
    const width = isPlain ? Math.ceil(name.length * LETTER) + SIDES : Number.POSITIVE_INFINITY;
    widest[shape.kind] = Math.max(widest[shape.kind], width);
  }
  return widest;
}

/**
 * Lays a drawing out from left to right, what blocks before what waits, except where a deadlock
 * leads back; with the widest shapes that fit into `room` pixels. If none fit, the layout is wider.
 */
export function layOut(drawing: Drawing, room: number, widest: Widest): Layout {
  for (const sizes of [...WIDER_SIZES, SIZES, ...NARROWER_SIZES]) {
    const layout = layOutWith(drawing, limited(sizes, widest));
    if (layout.width <= room) return layout;
  }
  return layOutWith(drawing, SIZES);
}

function limited({ owner, lock, ...others }: Sizes, widest: Widest): Sizes {
  return {
    ...others,
    owner: { ...owner, width: Math.min(owner.width, widest.owner) },
    lock: { ...lock, width: Math.min(lock.width, widest.lock) },
  };
}

function layOutWith({ shapes, lines }: Drawing, sizes: Sizes): Layout {
  const graph = new Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: ROW_GAP, ranksep: 40, ranker: 'network-simplex' });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id, kind } of shapes) graph.setNode(id, { ...sizes[kind] });
  for (const { from, to, isBack, breaks } of lines) {
    const [left, right] = isBack ? [to, from] : [from, to];
    graph.setEdge(left, right, breaks ? { ...sizes.break, labelpos: 'c' } : {});
  }
  layout(graph);
  const places = new Map<string, Place>();
  for (const { id, kind } of shapes) {
    const { x, y } = graph.node(id);
    const { width, height } = sizes[kind];
    // The rest of a queue is in line with the owners above it.
    const left = kind === 'rest' ? sizes.owner.width : width;
    places.set(id, { x: x - left / 2, y: y - height / 2 });
  }
  keepOrder(shapes, lines, places);
  putRestsLast(shapes, lines, { places, sizes });
  const { width = 0, height = 0 } = graph.graph();
  return { places, sizes, width, height };
}

/**
 * Puts the owners that wait for only one lock, and have no waiters themselves, in the order of
 * their lines, which is that of the queue: the layout does not keep it.
 */
function keepOrder(
  shapes: Drawing['shapes'],
  lines: Drawing['lines'],
  places: Map<string, Place>,
): void {
  const owners = new Set(shapes.flatMap(({ id, kind }) => (kind === 'owner' ? [id] : [])));
  const blockers = new Set(lines.map(({ from }) => from));
  const waits = new Map<string, number>();
  for (const { to } of lines) waits.set(to, (waits.get(to) ?? 0) + 1);
  const queues = new Map<string, string[]>();
  for (const { from, to } of lines) {
    if (!owners.has(to) || blockers.has(to) || waits.get(to) !== 1) continue;
    queues.set(from, [...(queues.get(from) ?? []), to]);
  }
  for (const waiters of queues.values()) {
    const free = waiters.flatMap((id) => places.get(id) ?? []).sort((a, b) => a.y - b.y);
    for (const [i, id] of waiters.entries()) {
      const place = free[i];
      if (place) places.set(id, place);
    }
  }
}

/** Puts what is not drawn of a queue below its waiters, where nothing else is between them. */
function putRestsLast(
  shapes: Drawing['shapes'],
  lines: Drawing['lines'],
  { places, sizes }: Pick<Layout, 'places' | 'sizes'>,
): void {
  const kinds = new Map(shapes.map(({ id, kind }) => [id, kind]));
  for (const { id, kind } of shapes) {
    const rest = places.get(id);
    if (kind !== 'rest' || !rest) continue;
    const lock = lines.find(({ to }) => to === id)?.from;
    const below = lines
      .filter(({ from, to }) => from === lock && kinds.get(to) === 'owner')
      .flatMap(({ to }) => places.get(to) ?? [])
      .filter(({ x, y }) => x === rest.x && y > rest.y)
      .sort((a, b) => a.y - b.y);
    const step = sizes.owner.height + ROW_GAP;
    const first = rest.y + sizes.rest.height + ROW_GAP;
    if (below.some(({ y }, place) => Math.abs(y - first - place * step) > 1)) continue;
    for (const place of below) place.y -= sizes.rest.height + ROW_GAP;
    rest.y += below.length * step;
  }
}
