import type {
  GraphHold,
  GraphLock,
  GraphOwner,
  GraphWait,
  WaitGraph,
} from '@/server/contract/console/waits/wait-graph';
import { partyKey } from '@/server/core/party';
import { type CycleHold, leastWorkHold } from '../use-hold-act';
import { headId, isUnknown, ownersInDeadlock, waitsInDeadlock } from '../wait-facts';

/** An owner in the drawing; its place in the queue that it waits in, if it waits. */
export interface OwnerShape {
  kind: 'owner';
  id: string;
  owner: GraphOwner;
  wait: { lock: GraphLock; wait: GraphWait } | null;
  holds: number;
  look: Look;
}

export interface LockShape {
  kind: 'lock';
  id: string;
  lock: GraphLock;
  /** How its backend is marked: `none` if there is only one; `filled` where a chain changes it. */
  glyph: 'none' | 'plain' | 'filled';
  look: Look;
}

/** Callers of a lock that are not drawn one by one. */
export interface RestShape {
  kind: 'rest';
  id: string;
  count: number;
  look: Look;
}

/** The head blocker of a band, which has a panel beside the drawing. */
export interface HeadShape {
  kind: 'head';
  id: string;
  look: Look;
}

export type Shape = OwnerShape | LockShape | RestShape | HeadShape;
export type Look = 'plain' | 'severe' | 'deadlock' | 'unknown';

/** A line from what blocks to what waits for it. */
export interface Line {
  from: string;
  to: string;
  look: Look;
  /** It leads back to where the drawing of its deadlock begins, from right to left. */
  isBack: boolean;
  /** The line's hold, if the deadlock is best broken here. */
  breaks?: CycleHold;
}

/** A connected part of the graph. */
export interface Drawing {
  /** The head blockers in it, by their ids. */
  heads: string[];
  shapes: Shape[];
  lines: Line[];
}

/** If one lock has more waiters than this, only some are drawn one by one. */
const WAITERS_MAX = 6;
const WAITERS_DRAWN = 5;

const SEVERE = new Set(['stuck', 'orphaned', 'expired']);

/** The drawings of a graph, in the order of its head blockers. */
export function drawingsOf(graph: WaitGraph): Drawing[] {
  const { shapes, lines } = new WholeDrawing(graph);
  return split(graph, shapes, lines).map((drawing) => withoutHead(graph, drawing));
}

/** The shapes and lines of a graph before they are split into drawings. */
class WholeDrawing {
  readonly shapes = new Map<string, Shape>();
  readonly lines: Line[] = [];
  private readonly glyphOf: ReturnType<typeof glyphsOf>;
  private readonly deadlockedOwners: ReadonlySet<number>;
  private readonly deadlockedWaits: ReadonlySet<string>;
  private readonly back: ReturnType<typeof linesBack>;
  private readonly holders: ReadonlySet<number>;
  private readonly breaks: CycleHold[];

  constructor(private readonly graph: WaitGraph) {
    const { locks, heads } = graph;
    this.back = linesBack(graph);
    this.glyphOf = glyphsOf(graph);
    this.deadlockedOwners = ownersInDeadlock(graph);
    this.deadlockedWaits = waitsInDeadlock(graph);
    this.holders = new Set(locks.flatMap((lock) => lock.holders.map(({ owner }) => owner)));
    this.breaks = heads.flatMap((head) => leastWorkHold(head, graph) ?? []);
    for (const [place, lock] of locks.entries()) this.addLock(lock, place);
  }

  private addLock(lock: GraphLock, place: number): void {
    const id = `lock ${lock.id}`;
    const isInCycle = lock.waiters.some((wait) => this.isInDeadlock(place, wait));
    const look: Look = isInCycle ? 'deadlock' : lookOf(lock);
    const shape: LockShape = { kind: 'lock', id, lock, glyph: this.glyphOf(lock), look };
    this.shapes.set(id, shape);
    for (const hold of lock.holders) this.addHold(shape, hold, place);
    const drawn = drawnWaiters(lock, this.holders);
    for (const wait of drawn) this.addWait(shape, wait, place);
    const hidden = lock.waiting - drawn.length;
    if (hidden <= 0) return;
    const rest = `rest ${id}`;
    this.shapes.set(rest, { kind: 'rest', id: rest, count: hidden, look });
    this.lines.push({ from: id, to: rest, look: lookOf(lock), isBack: false });
  }

  private addHold({ id, lock, look }: LockShape, { owner, token }: GraphHold, place: number): void {
    const holder = this.ownerShape(owner);
    if (!holder) return;
    holder.holds += 1;
    const isMarked = look === 'deadlock' && this.deadlockedOwners.has(owner);
    const breaks = this.breaks.find((hold) => hold.lock === lock && hold.token === token);
    this.lines.push({
      from: holder.id,
      to: id,
      look: isMarked ? 'deadlock' : lookOf(lock),
      isBack: this.back.holds.has(`${place} ${owner}`),
      ...(breaks && { breaks }),
    });
  }

  private addWait({ id, lock, look }: LockShape, wait: GraphWait, place: number): void {
    const waiter = this.ownerShape(wait.owner);
    if (!waiter) return;
    waiter.wait ??= { lock, wait };
    if (look === 'unknown' && waiter.look === 'plain') waiter.look = 'unknown';
    this.lines.push({
      from: id,
      to: waiter.id,
      look: this.isInDeadlock(place, wait) ? 'deadlock' : lookOf(lock),
      isBack: this.back.waits.has(`${place} ${wait.owner}`),
    });
  }

  private isInDeadlock(place: number, { owner }: GraphWait): boolean {
    return this.deadlockedWaits.has(`${place} ${owner}`);
  }

  private ownerShape(place: number): OwnerShape | null {
    const owner = this.graph.owners[place];
    if (!owner) return null;
    const id = `owner ${partyKey(owner)}`;
    const known = this.shapes.get(id) as OwnerShape | undefined;
    if (known) return known;
    const look: Look = this.deadlockedOwners.has(place) ? 'deadlock' : 'plain';
    const shape: OwnerShape = { kind: 'owner', id, owner, wait: null, holds: 0, look };
    this.shapes.set(id, shape);
    return shape;
  }
}

/**
 * The lines that lead back to the first owner of a deadlock, as `lock owner` by their places in the
 * graph: half of its ring, so that a drawing has both halves one below the other and is half as
 * wide.
 */
function linesBack({ heads }: WaitGraph): Record<'holds' | 'waits', ReadonlySet<string>> {
  const [holds, waits] = [new Set<string>(), new Set<string>()];
  for (const { deadlock } of heads) {
    const steps = deadlock?.steps ?? [];
    for (const [place, { owner, lock }] of steps.entries()) {
      const holder = steps[(place + 1) % steps.length]?.owner;
      if (2 * place + 1 <= steps.length) waits.add(`${lock} ${owner}`);
      if (2 * place + 2 <= steps.length) holds.add(`${lock} ${holder}`);
    }
  }
  return { holds, waits };
}

/** A chain changes backend at a lock whose holder waits for a lock of another one. */
function glyphsOf({ backends, locks }: WaitGraph): (lock: GraphLock) => LockShape['glyph'] {
  if (backends.length < 2) return () => 'none';
  const waitedAt = new Map<number, Set<string>>();
  for (const { backend, waiters } of locks) {
    for (const { owner } of waiters) {
      waitedAt.set(owner, (waitedAt.get(owner) ?? new Set()).add(backend));
    }
  }
  return ({ backend, holders }) => {
    const others = holders.flatMap(({ owner }) => [...(waitedAt.get(owner) ?? [])]);
    return others.some((other) => other !== backend) ? 'filled' : 'plain';
  };
}

/** The waiters to draw one by one: always those up to the last that holds a lock of the graph. */
function drawnWaiters({ waiters }: GraphLock, holders: ReadonlySet<number>): GraphWait[] {
  if (waiters.length <= WAITERS_MAX) return waiters;
  const links = waiters.findLastIndex(({ owner }) => holders.has(owner)) + 1;
  return waiters.slice(0, Math.max(WAITERS_DRAWN, links));
}

/**
 * A single owner that waits for nothing is not drawn: its lines lead to its panel. One whose other
 * work waits is drawn only where it waits, so that no line of its holds crosses a lock.
 */
function withoutHead(graph: WaitGraph, drawing: Drawing): Drawing {
  const [id, ...more] = drawing.heads;
  const head = graph.heads.find((each) => headId(each, graph) === id);
  if (!head || head.deadlock || head.owners.length !== 1 || more.length > 0) return drawing;
  const owner = `owner ${id}`;
  const shape = drawing.shapes.find((each) => each.id === owner);
  if (shape?.kind !== 'owner') return drawing;
  const panel: HeadShape = { kind: 'head', id: `head ${id}`, look: shape.look };
  const others = drawing.shapes.filter((each) => each !== shape || shape.wait);
  const lines = drawing.lines.map((line) =>
    line.from === owner ? { ...line, from: panel.id } : line,
  );
  return { ...drawing, shapes: [panel, ...others], lines };
}

function lookOf(lock: GraphLock): Look {
  if (isUnknown(lock)) return 'unknown';
  return SEVERE.has(lock.status) ? 'severe' : 'plain';
}

/** Parts that no line connects, each with its head blockers. */
function split(graph: WaitGraph, shapes: ReadonlyMap<string, Shape>, lines: Line[]): Drawing[] {
  const beside = new Map<string, string[]>();
  for (const { from, to } of lines) {
    beside.set(from, [...(beside.get(from) ?? []), to]);
    beside.set(to, [...(beside.get(to) ?? []), from]);
  }
  const drawingOf = new Map<string, Drawing>();
  const drawings: Drawing[] = [];
  for (const head of graph.heads) {
    const [lock] = head.locks;
    const start = lock === undefined ? undefined : graph.locks[lock];
    if (!start) continue;
    const first = `lock ${start.id}`;
    const known = drawingOf.get(first);
    const drawing = known ?? { heads: [], shapes: [], lines: [] };
    drawing.heads.push(headId(head, graph));
    if (known) continue;
    drawings.push(drawing);
    const open = [first];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      const shape = shapes.get(id);
      if (!shape || drawingOf.has(id)) continue;
      drawingOf.set(id, drawing);
      drawing.shapes.push(shape);
      open.push(...(beside.get(id) ?? []));
    }
  }
  for (const line of lines) drawingOf.get(line.from)?.lines.push(line);
  return drawings;
}
