'use client';

import { readBounds, type TypedBounds } from './parse-bounds';
import { WholeField } from './whole-number-field';

/** Floor and ceiling, side by side. */
export function BoundsFields({
  typed,
  onChange,
}: {
  typed: TypedBounds;
  onChange: (typed: TypedBounds) => void;
}) {
  const crossed = readBounds(typed).areCrossed ? 'is above the ceiling' : null;
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <WholeField
        label="Floor"
        hint="empty: none"
        value={typed.floor}
        problem={crossed}
        onChange={(floor) => onChange({ ...typed, floor })}
      />
      <WholeField
        label="Ceiling"
        hint="empty: none"
        value={typed.ceiling}
        onChange={(ceiling) => onChange({ ...typed, ceiling })}
      />
    </div>
  );
}
