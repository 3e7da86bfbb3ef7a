'use client';

import '@xyflow/react/dist/base.css';
import {
  type Edge,
  type EdgeMarker,
  type EdgeTypes,
  MarkerType,
  type Node,
  type NodeTypes,
  ReactFlow,
  type SmoothStepPathOptions,
} from '@xyflow/react';
import { useEffect, useMemo } from 'react';
import { useWidth } from '../../locks/timeline/use-width';
import { BackendGlyph } from '../../ui/backend-glyph';
import { BREAK_BUTTON, BreakLine, type BreakLineData } from './break-line';
import { HeadNode, type LineEnd, LockNode, OwnerNode, RestNode } from './graph-nodes';
import type { Drawing, Line, Look } from './graph-shape';
import { type Layout, layOut, type Place, wholeNameWidths } from './lay-out';
import type { Band } from './use-bands';

const NODE_TYPES: NodeTypes = { owner: OwnerNode, lock: LockNode, rest: RestNode, head: HeadNode };
const EDGE_TYPES: EdgeTypes = { break: BreakLine };

/** How far a line runs straight at both ends: less than half of what is between two shapes. */
const LINE_OFFSET = 16;

/** Room above and below a drawing, and right of it. */
const MARGIN = 16;

const LINE_COLOURS: Record<Look, string> = {
  plain: 'var(--ctl)',
  severe: 'var(--dangertext)',
  deadlock: 'var(--dangertext)',
  unknown: 'var(--unknown)',
};

/**
 * The wait-for graph, drawn from left to right in bands beside the head blockers: their locks, the
 * waiters of these, the locks that those hold, and so on. Arrows lead from what waits to what it
 * waits for.
 */
export default function WaitCanvas({
  drawings,
  bands,
  backends,
  onDrawn,
}: {
  /** One per band, in the same order. */
  drawings: readonly Drawing[];
  bands: readonly Band[];
  /** The ids of the backends. */
  backends: readonly string[];
  /** Called with the height of each drawing, by its first head blocker. */
  onDrawn: (heights: Record<string, number>) => void;
}) {
  const structure = drawings.map(structureOf).join('\n');
  const { ref, widthPx } = useWidth<HTMLDivElement>(0);
  const room = widthPx - 2 * MARGIN;
  // The layout depends on what is connected, not on ages and statuses.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the structure is all that is read
  const layouts = useMemo(() => {
    const widest = wholeNameWidths(drawings);
    return drawings.map((each) => layOut(each, room, widest));
  }, [structure, room]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows from the layouts
  useEffect(() => {
    const heights = drawings.map(({ heads }, i) => {
      return [heads[0] ?? '', (layouts[i]?.height ?? 0) + 2 * MARGIN];
    });
    onDrawn(Object.fromEntries(heights));
  }, [layouts, onDrawn]);
  const nodes = drawings.flatMap(({ shapes }, i) => {
    const layout = layouts[i];
    if (!layout) return [];
    const { places, sizes, height } = layout;
    const band = bands[i] ?? { top: 0, height: 0 };
    const top = band.top + Math.max(MARGIN, Math.min(4 * MARGIN, (band.height - height) / 2));
    return shapes.map((shape): Node => {
      const { x, y } = places.get(shape.id) ?? { x: 0, y: 0 };
      const left = shapes.some(({ kind }) => kind === 'head') ? 0 : MARGIN;
      const position = { x: left + x, y: top + y };
      return { id: shape.id, type: shape.kind, position, data: { shape }, ...sizes[shape.kind] };
    });
  });
  const edges = drawings.flatMap(({ lines }, i) => {
    const layout = layouts[i];
    return layout ? lines.map((line) => edgeOf(line, layout)) : [];
  });
  const width = Math.max(0, ...layouts.map((layout) => layout.width)) + 2 * MARGIN;
  const { top, height } = bands.at(-1) ?? { top: 0, height: 0 };
  return (
    <section aria-label="Wait-for graph" className="wait-canvas">
      <h2 className="wait-canvas-head">Waiting behind them, by lock</h2>
      <p className="sr-only">The list view shows the same as a table.</p>
      <div className="wait-bands" ref={ref}>
        <div className="relative" style={{ minWidth: width, height: top + height }}>
          {bands.map((band) => (
            <div
              key={band.heads[0]}
              className="wait-band"
              data-deadlock={band.heads.some((id) => deadlocked(drawings, id))}
              style={{ top: band.top, height: band.height }}
            />
          ))}
          <ReactFlow
            nodes={nodes}
            edges={edges}
            nodeTypes={NODE_TYPES}
            edgeTypes={EDGE_TYPES}
            minZoom={1}
            maxZoom={1}
            nodesDraggable={false}
            nodesConnectable={false}
            nodesFocusable={false}
            edgesFocusable={false}
            elementsSelectable={false}
            disableKeyboardA11y
            panOnDrag={false}
            panOnScroll={false}
            zoomOnScroll={false}
            zoomOnPinch={false}
            zoomOnDoubleClick={false}
            preventScrolling={false}
            proOptions={{ hideAttribution: true }}
          />
        </div>
      </div>
      <Legend backends={backends} />
    </section>
  );
}

/** Whether the band of a head blocker has a deadlock in it. */
const deadlocked = (drawings: readonly Drawing[], id: string) =>
  drawings.some(
    ({ heads, lines }) => heads.includes(id) && lines.some(({ look }) => look === 'deadlock'),
  );

const structureOf = ({ shapes, lines }: Drawing) =>
  [...shapes.map(({ id }) => id), ...lines.map(lineId)].join(' ');

/** Includes whether an act is on the line, which needs room. */
const lineId = ({ from, to, breaks }: Line) => `${from} ${to}${breaks ? ' breaks' : ''}`;

/** A line is drawn from left to right; its arrow is at the end that blocks. */
function edgeOf(
  line: Line,
  { places, sizes }: Layout,
): Edge & { pathOptions: SmoothStepPathOptions } {
  const { from, to, look, breaks } = line;
  const placeOf = (id: string) => places.get(id) ?? { x: 0, y: 0 };
  const [start, end] = [placeOf(from), placeOf(to)];
  const isLeft = start.x <= end.x;
  const [source, target] = isLeft ? [from, to] : [to, from];
  const stroke = LINE_COLOURS[look];
  const arrow: EdgeMarker = {
    type: MarkerType.ArrowClosed,
    color: stroke,
    width: 14,
    height: 14,
    orient: 'auto-start-reverse',
  };
  return {
    id: `${from} ${to}`,
    source,
    target,
    type: breaks ? 'break' : 'smoothstep',
    pathOptions: { offset: LINE_OFFSET },
    ...(breaks && {
      data: {
        hold: breaks,
        isShort: sizes.break.width < BREAK_BUTTON.width,
      } satisfies BreakLineData,
    }),
    sourceHandle: isLeft ? endOf(look, start, end) : endOf(look, end, start),
    targetHandle: isLeft ? endOf(look, end, start) : endOf(look, start, end),
    ...(isLeft ? { markerStart: arrow } : { markerEnd: arrow }),
    style: {
      stroke,
      strokeWidth: look === 'deadlock' ? 2.6 : 1.4,
      ...(look === 'unknown' && { strokeDasharray: '4 4' }),
    },
  };
}

function endOf(look: Look, own: Place, other: Place): LineEnd {
  if (look !== 'deadlock' || Math.abs(other.y - own.y) < 1) return 'level';
  return other.y < own.y ? 'up' : 'down';
}

function Legend({ backends }: { backends: readonly string[] }) {
  return (
    <ul className="wait-legend">
      <li data-look="plain">waits for</li>
      <li data-look="severe">stuck, orphaned or expired</li>
      <li data-look="deadlock">deadlock</li>
      <li data-look="unknown">state unknown</li>
      {backends.length > 1 &&
        backends.map((id) => (
          <li key={id} data-look="backend">
            <BackendGlyph id={id} /> {id}
          </li>
        ))}
    </ul>
  );
}
