'use client';

import type { WaitGraph } from '@/server/contract/console/waits/wait-graph';
import { durationText } from '@/server/core/format/durations';
import { NameFilter } from '../navigation/name-filter';
import { setAddress } from '../navigation/set-address';
import { FilterChip, MenuChip } from '../ui/controls/choices/filter-chip';
import { Menu, MenuChoice } from '../ui/controls/menu';
import { filterChoices, WAIT_AGES_MS, type WaitFilter } from './wait-filter';

/** Which waits are shown; kept in the page's address. */
export function WaitFilterChips({ graph, filter }: { graph: WaitGraph; filter: WaitFilter }) {
  const { namespaces, backends } = filterChoices(graph);
  const { namespace, backend, overMs } = filter;
  return (
    <span className="flex flex-wrap gap-2">
      <NameFilter label="namespace" value={namespace} choices={namespaces} />
      <NameFilter label="backend" value={backend} choices={backends} />
      {overMs > 0 ? (
        <FilterChip
          label="waiting over"
          value={durationText(overMs).replaceAll('\u00a0', ' ')}
          onClear={() => setAddress({ over: null })}
        />
      ) : (
        <Menu trigger={<MenuChip label="waiting over" />}>
          {WAIT_AGES_MS.map((ms) => (
            <MenuChoice key={ms} chosen={false} onSelect={() => setAddress({ over: String(ms) })}>
              {durationText(ms)}
            </MenuChoice>
          ))}
        </Menu>
      )}
    </span>
  );
}
