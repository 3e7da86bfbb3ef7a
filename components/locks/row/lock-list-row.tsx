'use client';

import Link from 'next/link';
import { type CSSProperties, type FocusEvent, type MouseEvent, memo, useState } from 'react';
import type { LockRow } from '@/server/contract/console/lock-row';
import { visibleText } from '@/server/core/format/visible-text';
import { lockPath } from '@/server/core/paths/console-path';
import { useActions } from '../../actions/actions-provider';
import { SelectBox } from '../../deletion/select-controls';
import type { SelectionControls } from '../../deletion/use-selection';
import { revText } from '../../format/numbers';
import { useStoreObstacle } from '../../live/reading';
import { pastHref } from '../../past/past-address';
import { usePastAt } from '../../past/past-at';
import { Button } from '../../ui/controls/button';
import { GridCell } from '../../ui/grid-cell';
import { STATUS_STYLES, StatusBadge } from '../../ui/status-badge';
import { ExactName } from '../../ui/visible-text';
import { hasStandbysOnly, isSelectable } from '../lock-facts';
import { actObstacle } from '../possible-acts';
import { LeaseLeft } from './lease-left';
import { HolderCells, OldestWait, Renewals, Token } from './row-cells';
import { RowFlash } from './row-flash';
import { RowReason } from './row-reason';

interface LineProps {
  row: LockRow;
  place: number;
  isCursor: boolean;
  /** Where Tab enters the table. */
  isEntry: boolean;
  /** Null where nothing may be selected. */
  isSelected: boolean | null;
  /** There is only one backend, so its name is left out. */
  isOneBackend: boolean;
  /** Rows are grouped by tier, and have two lines where there is room. */
  isTiered: boolean;
  /** How many heads of tiers are above it. */
  heads: number;
  /** Its preview is open. */
  isPeeked: boolean;
  onCursor: (place: number, id: string) => void;
  onPeek: (row: LockRow) => void;
  /** Opens its page from known data if the server is not responding; false: it is. */
  onOpenKnown: (row: LockRow) => boolean;
  onSelect: SelectionControls['select'] | undefined;
}

/** One lock: a line of the table, or three lines on a phone. */
export const LockListRow = memo(function LockRowLine({
  row,
  place,
  isCursor,
  isEntry,
  isSelected,
  isOneBackend,
  isTiered,
  heads,
  isPeeked,
  onCursor,
  onPeek,
  onOpenKnown,
  onSelect,
}: LineProps) {
  const changes = useChangeCount(row.status === 'contended' ? 'held' : row.status);
  const [flashedChange, setFlashedChange] = useState(0);
  const onFocus = (event: FocusEvent<HTMLDivElement>) => {
    if (event.target.matches(':focus-visible')) onCursor(place, row.id);
  };
  const onClick = ({ target }: MouseEvent) => {
    if (!(target instanceof Element) || target.closest('a, button, input, label')) return;
    if (window.getSelection()?.isCollapsed === false) return;
    onCursor(place, row.id);
    onPeek(row);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: virtual rows fold into lines
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list listens for Space
    <div
      role="row"
      aria-rowindex={place + 2}
      data-row={row.id}
      data-place={place}
      data-status={row.status}
      data-cursor={isCursor}
      data-peeked={isPeeked || undefined}
      onClick={onClick}
      aria-selected={isSelected ?? undefined}
      tabIndex={isEntry ? 0 : -1}
      onFocus={onFocus}
      style={{ '--place': place, '--heads': heads } as CSSProperties}
      className="lock-row"
    >
      {changes > flashedChange && (
        <RowFlash
          key={changes}
          ink={STATUS_STYLES[row.status].ink}
          onEnd={() => setFlashedChange(changes)}
        />
      )}
      {isSelected !== null && (
        <SelectCell
          row={row}
          isSelected={isSelected}
          onSelect={(isOn, isRange) => {
            onCursor(place, row.id);
            onSelect?.(row.id, isOn, isRange);
          }}
        />
      )}
      <GridCell name="state">
        <span className="inline-flex shrink-0 md:w-[86px]">
          <StatusBadge status={row.status} isExpected={hasStandbysOnly(row)} />
        </span>
        <RowReason row={row} />
      </GridCell>
      <NameCell row={row} isOneBackend={isOneBackend} onOpenKnown={onOpenKnown} />
      <HolderCells row={row} isTiered={isTiered} />
      <GridCell name="lease">
        <LeaseLeft row={row} />
      </GridCell>
      <GridCell name="waiters">
        <OldestWait row={row} />
      </GridCell>
      <GridCell name="renewals">
        <Renewals row={row} />
      </GridCell>
      <GridCell name="rev" className="text-12 text-t3">
        <span title={`Rev ${row.rev}`}>{revText(row.rev)}</span>
      </GridCell>
      <GridCell name="token">
        <Token row={row} />
      </GridCell>
      <ActsCell row={row} />
    </div>
  );
});

function SelectCell({
  row,
  isSelected,
  onSelect,
}: {
  row: LockRow;
  isSelected: boolean;
  onSelect: (isOn: boolean, isRange: boolean) => void;
}) {
  return (
    <GridCell name="select">
      {(isSelected || isSelectable(row)) && (
        <SelectBox
          label={`Select ${visibleText(row.name)}`}
          isChecked={isSelected}
          onSelect={onSelect}
        />
      )}
    </GridCell>
  );
}

function NameCell({
  row,
  isOneBackend,
  onOpenKnown,
}: Pick<LineProps, 'row' | 'isOneBackend' | 'onOpenKnown'>) {
  const past = usePastAt();
  return (
    <GridCell name="name">
      <Link
        href={pastHref(lockPath(row.namespace, row.name), past)}
        prefetch={false}
        data-opens-known
        onClick={(event) => {
          const isPlain = !event.ctrlKey && !event.metaKey && !event.shiftKey;
          if (isPlain && onOpenKnown(row)) event.preventDefault();
        }}
        className="row-link flex min-w-0 items-center rounded-4"
      >
        <ExactName name={row.name} className={row.status === 'unknown' ? 'text-t2' : 'text-t1'} />
      </Link>
      <span className="row-where" title={`On backend ${row.backend}`}>
        {row.namespace}
        {isOneBackend || <span className="row-backend"> · {row.backend}</span>}
      </span>
    </GridCell>
  );
}

function ActsCell({ row }: { row: LockRow }) {
  const actions = useActions();
  const atStore = useStoreObstacle(row);
  if (!actions || actObstacle(row, 'release', atStore) !== null) return null;
  return (
    <GridCell name="acts" className="row-acts">
      {actObstacle(row, 'request', atStore) === null && (
        <Button size="small" onClick={() => actions.ask(row)}>
          Ask…
        </Button>
      )}
      <Button size="small" tone="danger-word" onClick={() => actions.release(row)}>
        Force release…
      </Button>
    </GridCell>
  );
}

/** How often a value has changed since the component was mounted. */
function useChangeCount(value: string): number {
  const [seen, setSeen] = useState({ value, changes: 0 });
  if (seen.value !== value) {
    setSeen({ value, changes: seen.changes + 1 });
    return seen.changes + 1;
  }
  return seen.changes;
}

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
