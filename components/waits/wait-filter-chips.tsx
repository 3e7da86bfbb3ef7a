'use client';

import type { WaitGraph } from '@/server/contract/console/waits/wait-graph';
import { durationText } from '@/server/core/format/durations';
import { NameFilter } from '../navigation/name-filter';
import { setAddress } from '../navigation/set-address';
import { ChoiceFilter } from '../ui/controls/choices/choice-filter';
import { filterChoices, WAIT_AGES_MS, type WaitFilter } from './wait-filter';

/** Which waits are shown; kept in the page's address. */
export function WaitFilterChips({ graph, filter }: { graph: WaitGraph; filter: WaitFilter }) {
  const { namespaces, backends } = filterChoices(graph);
  const { namespace, backend, overMs } = filter;
  return (
    <span className="flex flex-wrap gap-2">
      <NameFilter label="namespace" value={namespace} choices={namespaces} />
      <NameFilter label="backend" value={backend} choices={backends} />
      <ChoiceFilter
        label="waiting over"
        value={overMs > 0 ? overMs : null}
        choices={WAIT_AGES_MS}
        labelOf={(ms) => durationText(ms).replaceAll('\u00a0', ' ')}
        onChoose={(ms) => setAddress({ over: ms === null ? null : String(ms) })}
      />
    </span>
  );
}
