'use client';

import { parseBounds, type TypedBounds } from './parse-bounds';
import { WholeNumberField } from './whole-number-field';

/** Floor and ceiling, side by side. */
export function BoundsFields({
  typed,
  onChange,
}: {
  typed: TypedBounds;
  onChange: (typed: TypedBounds) => void;
}) {
  const crossed = parseBounds(typed).areCrossed ? 'Above the ceiling' : null;
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <WholeNumberField
        label="Floor"
        hint="Empty: no limit"
        value={typed.floor}
        problem={crossed}
        onChange={(floor) => onChange({ ...typed, floor })}
      />
      <WholeNumberField
        label="Ceiling"
        hint="Empty: no limit"
        value={typed.ceiling}
        onChange={(ceiling) => onChange({ ...typed, ceiling })}
      />
    </div>
  );
}
