const WIDTH = 76;
const HEIGHT = 24;
const EDGE = 3;
/** A course shorter than this share of the width is only its last point. */
const SHORT_SHARE = 0.08;

/** The course of a figure, right-aligned at now. Decoration beside the figure itself. */
export function Sparkline({
  points,
  spanMs,
  className = '',
}: {
  points: readonly { at: number; value: number }[];
  /** How much time the whole width covers. */
  spanMs: number;
  className?: string;
}) {
  const last = points.at(-1);
  if (!last) return null;
  const top = Math.max(1, ...points.map(({ value }) => value)) * 1.1;
  const x = (at: number) => (WIDTH - EDGE) * (1 - (last.at - at) / spanMs);
  const y = (value: number) => HEIGHT - EDGE - (HEIGHT - 2 * EDGE) * (value / top);
  const steps = points.map(({ at, value }) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`);
  const from = x(points[0]?.at ?? last.at).toFixed(1);
  return (
    <svg
      aria-hidden="true"
      width={WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      className={className}
    >
      {(last.at - (points[0]?.at ?? last.at)) / spanMs > SHORT_SHARE && (
        <>
          <path
            d={`M${from},${HEIGHT} L${steps.join(' L')} L${x(last.at)},${HEIGHT} Z`}
            fill="currentColor"
            opacity="0.13"
          />
          <polyline
            points={steps.join(' ')}
            fill="none"
            stroke="currentColor"
            strokeWidth="1.6"
            strokeLinejoin="round"
          />
        </>
      )}
      <circle cx={x(last.at)} cy={y(last.value)} r="2.4" fill="currentColor" />
    </svg>
  );
}
