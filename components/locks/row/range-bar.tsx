'use client';

import type { LockRow } from '@/server/contract/console/lock-row';
import { useAtBackend } from '../../live/reading';
import { STATUS_STYLES } from '../../ui/status-badge';
import { hasStandbysOnly, heldMsOf } from '../lock-facts';
import { FAR_POSITION, P99_POSITION, rangePosition } from './range-position';

const WIDTH = 92;
const HEIGHT = 20;
const MIDDLE = HEIGHT / 2;

const px = (percent: number) => (percent / 100) * WIDTH;

/**
 * How long a lock has been held compared with its own past: a block from p50 to p99, a tick at p99,
 * a dashed one at five times that, and a dot for now. A new lock is compared with the past of its
 * namespace, which is paler. Decoration beside the figures.
 */
export function RangeBar({ row }: { row: LockRow }) {
  const { ownHold, namespaceHold, status } = row;
  const usual = ownHold ?? namespaceHold;
  const place = useAtBackend(row, (now, _, lastAnswerAt) => {
    const heldMs = heldMsOf(row, now, lastAnswerAt);
    if (heldMs === null || !usual) return null;
    return Math.round(rangePosition(heldMs, usual.p99Ms) * 2) / 2;
  });
  if (!usual) {
    return (
      <span className="range-bar text-12 text-t3 max-[900px]:hidden">
        {row.hold && status !== 'unknown' && 'no baseline'}
      </span>
    );
  }
  const from = px(rangePosition(usual.p50Ms, usual.p99Ms));
  const isHollow = status === 'unknown';
  return (
    <svg
      aria-hidden="true"
      width={WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      className="range-bar"
    >
      <path d={`M0 ${MIDDLE}H${WIDTH}`} stroke="var(--line2)" />
      <rect
        x={from}
        y={MIDDLE - 3}
        width={px(P99_POSITION) - from}
        height={6}
        rx={1}
        className="range-block"
        opacity={ownHold ? 1 : 0.5}
      />
      <path
        d={`M${px(P99_POSITION)} 4V16`}
        stroke="var(--t3)"
        strokeWidth={1.5}
        {...(!ownHold && { strokeDasharray: '2 2' })}
      />
      <path
        d={`M${px(FAR_POSITION)} 3V17`}
        stroke="var(--dangertext)"
        strokeDasharray="2 2"
        opacity={0.75}
      />
      {place !== null && (
        <circle
          cx={px(place)}
          cy={MIDDLE}
          r={isHollow ? 3 : 3.6}
          fill={isHollow ? 'var(--bg)' : 'currentColor'}
          stroke={isHollow ? 'currentColor' : 'none'}
          strokeWidth={1.6}
          className={hasStandbysOnly(row) ? 'text-t2' : STATUS_STYLES[status].ink}
        />
      )}
    </svg>
  );
}
