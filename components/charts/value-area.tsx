import { Area } from 'recharts';

/** A value over time: a line with its area. `rows` are those of the chart. */
export const valueArea = (rows: readonly Record<string, unknown>[], of: string, ink: string) => (
  <Area
    dataKey={of}
    type="linear"
    stroke={ink}
    strokeWidth={1.6}
    fill={ink}
    fillOpacity={0.13}
    dot={<LonePoint rows={rows} of={of} ink={ink} />}
    activeDot={{ r: 3, fill: ink, stroke: 'var(--s1)' }}
    isAnimationActive={false}
  />
);

/** A step with a value between two steps without one has no line, so it is shown as a dot. */
function LonePoint({
  cx,
  cy,
  index = 0,
  rows,
  of,
  ink,
}: {
  cx?: number;
  cy?: number;
  index?: number;
  rows: readonly Record<string, unknown>[];
  of: string;
  ink: string;
}) {
  const hasValue = (place: number) => typeof rows[place]?.[of] === 'number';
  if (!hasValue(index) || hasValue(index - 1) || hasValue(index + 1)) return null;
  return <circle cx={cx} cy={cy} r={2} fill={ink} />;
}
