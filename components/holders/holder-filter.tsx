'use client';

import {
  HOLDER_FILTERS,
  type HolderFilter,
  matchesHolder,
} from '@/server/contract/console/waits/holder-figures';
import type { ProcessRow } from '@/server/contract/console/waits/holder-rows';
import { exactCount } from '@/server/core/format/numbers';
import { NameFilter } from '../navigation/name-filter';
import { setAddress } from '../navigation/set-address';
import { ChoiceFilter } from '../ui/controls/choices/choice-filter';

const LABELS: Record<HolderFilter, string> = {
  dead: 'dead',
  alive: 'alive',
  unknown: 'unknown',
  deadlock: 'in a deadlock',
  blocking: 'blocking callers',
};

/** Reads the filter of an address; null if there is none, or it is unknown. */
export const readHolderFilter = (text: string | null): HolderFilter | null =>
  HOLDER_FILTERS.find((each) => each === text) ?? null;

/** Where a process holds a lock or waits for one; null: anywhere. */
export interface HolderPlace {
  namespace: string | null;
  backend: string | null;
}

export const isIn = ({ places }: ProcessRow, place: HolderPlace): boolean =>
  (place.namespace === null && place.backend === null) ||
  places.some(
    ({ namespace, backend }) =>
      (place.namespace ?? namespace) === namespace && (place.backend ?? backend) === backend,
  );

/** Which processes are shown; kept in the page's address. */
export function HolderFilters({
  rows,
  filter,
  place,
}: {
  rows: readonly ProcessRow[];
  filter: HolderFilter | null;
  place: HolderPlace;
}) {
  const choices = (of: keyof HolderPlace) =>
    [...new Set(rows.flatMap(({ places }) => places.map((each) => each[of])))].sort();
  return (
    <span className="flex flex-wrap gap-2">
      <ChoiceFilter
        label="verdict"
        value={filter}
        choices={HOLDER_FILTERS}
        labelOf={(each) => LABELS[each]}
        endOf={(each) => exactCount(rows.filter((row) => matchesHolder(row, each)).length)}
        onChoose={(verdict) => setAddress({ verdict })}
      />
      <NameFilter label="namespace" value={place.namespace} choices={choices('namespace')} />
      <NameFilter label="backend" value={place.backend} choices={choices('backend')} />
    </span>
  );
}
