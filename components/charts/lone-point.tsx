/** A step with a value between two steps without one has no line, so it is shown as a dot. */
export function LonePoint({
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
