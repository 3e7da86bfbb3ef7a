'use client';

import { Handle, type NodeProps, Position } from '@xyflow/react';
import Link from 'next/link';
import { exactCount, plural } from '@/server/core/format/numbers';
import { lockPath } from '@/server/core/paths/console-path';
import { Icon } from '../../icons/icon';
import { pastHref } from '../../past/past-address';
import { usePastAt } from '../../past/past-at';
import { BackendGlyph } from '../../ui/backend-glyph';
import { STATUS_STYLES } from '../../ui/status-badge';
import { ExactName } from '../../ui/visible-text';
import { WaitAge } from '../wait-table';
import type { LockShape, OwnerShape, RestShape } from './graph-shape';
import { HIGH_SHAPE, ROW_GAP } from './lay-out';

/** Where a line ends, by where its other end is; it runs from left to right. */
export type LineEnd = keyof ReturnType<typeof endHeights>;

/**
 * Where lines end at the side of a shape. Those of a deadlock share no end, and are straight
 * between a shape and the two of the next column.
 */
function endHeights(height: number) {
  const offset = `${(height + ROW_GAP) / 4}px`;
  return { level: '50%', up: `calc(50% - ${offset})`, down: `calc(50% + ${offset})` };
}

const SIDES = [
  ['target', Position.Left],
  ['source', Position.Right],
] as const;

/** Where lines begin and end; nothing can be connected by hand. */
function Ends({ height = 0 }: { height?: number | undefined }) {
  return Object.entries(endHeights(height)).flatMap(([id, top]) =>
    SIDES.map(([type, position]) => (
      <Handle
        key={`${type} ${id}`}
        id={id}
        type={type}
        position={position}
        style={{ top }}
        isConnectable={false}
      />
    )),
  );
}

/** Whether what is below the name may take two lines. */
const isHigh = (height = 0) => height >= HIGH_SHAPE;

/** An owner that waits or keeps others waiting. */
export function OwnerNode({ data, height }: NodeProps) {
  const { owner, wait, holds, look } = data.shape as OwnerShape;
  return (
    <div className="graph-node" data-kind="owner" data-look={look}>
      <Ends height={height} />
      <ExactName name={owner.owner} className="font-[550] text-12" />
      <span className={`text-12 text-t3 ${isHigh(height) ? 'line-clamp-2' : 'truncate'}`}>
        {wait ? (
          <>
            waits <WaitAge lock={wait.lock} wait={wait.wait} />
            {holds > 0 && `, holds ${exactCount(holds)}`}
          </>
        ) : (
          <>
            {owner.service}
            {holds > 1 && ` · holds ${exactCount(holds)}`}
          </>
        )}
      </span>
    </div>
  );
}

/** A lock with waiters; it leads to its page. */
export function LockNode({ data, height }: NodeProps) {
  const { lock, glyph, look } = data.shape as LockShape;
  const { icon, ink, word } = STATUS_STYLES[lock.status];
  const at = usePastAt();
  const wrap = isHigh(height) ? 'flex-wrap' : '';
  return (
    <div className="graph-node" data-kind="lock" data-look={look}>
      <Ends height={height} />
      <Link
        href={pastHref(lockPath(lock.namespace, lock.name), at)}
        prefetch={false}
        className="nodrag nopan flex min-w-0 rounded-4"
      >
        <ExactName name={lock.name} className="text-12" />
      </Link>
      <span className={`flex ${wrap} min-w-0 items-center gap-x-1.5 text-12 text-t3`}>
        <span className={`flex items-center gap-1 ${ink}`}>
          <Icon name={icon} size={12} />
          {word}
        </span>
        <span className="truncate">{exactCount(lock.waiting)} waiting</span>
        {glyph !== 'none' && <BackendGlyph id={lock.backend} isFilled={glyph === 'filled'} />}
      </span>
    </div>
  );
}

/** The point at which the lines of a band lead to its panel. */
export function HeadNode() {
  return (
    <div className="graph-node" data-kind="head">
      <Ends />
    </div>
  );
}

/** Callers that are not drawn one by one. */
export function RestNode({ data }: NodeProps) {
  const { count } = data.shape as RestShape;
  return (
    <div className="graph-node" data-kind="rest">
      <Ends />
      <span className="text-12 text-t2">{plural(count, 'more caller')}</span>
    </div>
  );
}
