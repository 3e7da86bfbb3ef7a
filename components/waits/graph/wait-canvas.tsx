'use client';

import '@xyflow/react/dist/base.css';
import {
  Controls,
  type Edge,
  MarkerType,
  type Node,
  type NodeTypes,
  ReactFlow,
  type ReactFlowInstance,
} from '@xyflow/react';
import { useEffect, useMemo, useRef } from 'react';
import type { WaitGraph } from '@/server/contract/console/waits/wait-graph';
import { LockNode, OwnerNode, RestNode } from './graph-nodes';
import { type Drawing, drawingsOf, type Line, type Look } from './graph-shape';
import { layOut, SIZES } from './lay-out';

const NODE_TYPES: NodeTypes = { owner: OwnerNode, lock: LockNode, rest: RestNode };

const MARGIN = 20;

const LINE_COLOURS: Record<Look, string> = {
  plain: 'var(--line2)',
  severe: 'var(--dangertext)',
  deadlock: 'var(--dangertext)',
  unknown: 'var(--unknown)',
};

/**
 * The wait-for graph, drawn from left to right: a head blocker, its locks, their waiters, the locks
 * that these hold, and so on. Arrows lead from what waits to what it waits for.
 */
export default function WaitCanvas({ graph, focus }: { graph: WaitGraph; focus: string | null }) {
  const drawings = useMemo(() => drawingsOf(graph), [graph]);
  const structure = drawings.map(structureOf).join('\n');
  // The layout depends on what is connected, not on ages and statuses.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the structure is all that is read
  const places = useMemo(() => layOut(drawings), [structure]);
  const nodes = useMemo(
    () =>
      drawings.flatMap(({ shapes }) =>
        shapes.map((shape): Node => {
          const position = places.get(shape.id) ?? { x: 0, y: 0 };
          return {
            id: shape.id,
            type: shape.kind,
            position,
            data: { shape },
            ...SIZES[shape.kind],
          };
        }),
      ),
    [drawings, places],
  );
  const edges = useMemo(() => drawings.flatMap(({ lines }) => lines.map(edgeOf)), [drawings]);
  const flow = useRef<ReactFlowInstance | null>(null);
  const focused = drawings.find(({ heads }) => focus !== null && heads.includes(focus));
  const ids = focused?.shapes.map(({ id }) => id).join('\n') ?? '';
  useEffect(() => {
    if (ids === '') return;
    const shown = ids.split('\n').map((id) => ({ id }));
    void flow.current?.fitView({ nodes: shown, maxZoom: 1, padding: 0.1, duration: 180 });
  }, [ids]);
  return (
    <section aria-label="Wait-for graph" className="wait-canvas">
      <p className="sr-only">The list view shows the same as a table.</p>
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        onInit={(instance) => {
          flow.current = instance;
        }}
        defaultViewport={{ x: MARGIN, y: MARGIN, zoom: 1 }}
        minZoom={0.3}
        maxZoom={1.5}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        disableKeyboardA11y
        panOnScroll
        zoomOnScroll={false}
        zoomOnDoubleClick={false}
        proOptions={{ hideAttribution: true }}
      >
        <Controls showInteractive={false} position="bottom-right" />
      </ReactFlow>
      <Legend />
    </section>
  );
}

const structureOf = ({ shapes, lines }: Drawing) =>
  [...shapes.map(({ id }) => id), ...lines.map(({ from, to }) => `${from} ${to}`)].join(' ');

function edgeOf({ from, to, look, isBack }: Line): Edge {
  const stroke = LINE_COLOURS[look];
  return {
    id: `${from} ${to}`,
    source: from,
    target: to,
    type: 'smoothstep',
    sourceHandle: isBack ? 'back' : 'out',
    targetHandle: isBack ? 'front' : 'in',
    markerStart: {
      type: MarkerType.ArrowClosed,
      color: stroke,
      width: 14,
      height: 14,
      orient: 'auto-start-reverse',
    },
    style: {
      stroke,
      strokeWidth: look === 'deadlock' ? 2.6 : 1.4,
      ...(look === 'unknown' && { strokeDasharray: '4 4' }),
    },
  };
}

function Legend() {
  return (
    <ul className="wait-legend">
      <li data-look="plain">waits for</li>
      <li data-look="severe">stuck or expired</li>
      <li data-look="deadlock">deadlock</li>
      <li data-look="unknown">backend not responding</li>
    </ul>
  );
}
