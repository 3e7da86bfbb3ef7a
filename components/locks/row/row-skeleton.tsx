import type { CSSProperties } from 'react';
import { GridCell } from '../../ui/grid-cell';

/** A row that has not been read yet, as high as one that has. */
export function RowSkeleton({ place, isSelectable }: { place: number; isSelectable: boolean }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: as the rows
    <div
      role="row"
      aria-rowindex={place + 2}
      data-place={place}
      tabIndex={-1}
      style={{ '--place': place } as CSSProperties}
      className="lock-row"
    >
      {isSelectable && <GridCell name="select">{null}</GridCell>}
      <GridCell name="state">
        <span className="bone h-3 w-20" />
        <span className="sr-only">Loading</span>
      </GridCell>
      <GridCell name="name">
        <span className="bone h-3 w-48 max-w-full" />
      </GridCell>
      <GridCell name="owner">
        <span className="bone h-3 w-28 max-w-full" />
      </GridCell>
      <GridCell name="held">
        <span className="bone h-3 w-16" />
      </GridCell>
    </div>
  );
}
