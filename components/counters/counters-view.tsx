'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'next/navigation';
import { useMemo, useState } from 'react';
import type { CounterPage } from '@/server/contract/console/counter-row';
import { exactCount, plural } from '@/server/core/format/numbers';
import { DeleteNamesButton } from '../deletion/delete-names-button';
import type { DeletionProps } from '../deletion/delete-names-dialog';
import { SelectButton } from '../deletion/select-controls';
import { SelectionBar } from '../deletion/selection-bar';
import { isNameable, useSelection } from '../deletion/use-selection';
import { ConnectionLostNote } from '../live/connection-lost-note';
import { LiveIndicator } from '../live/live-indicator';
import { ReadingProvider, useLiveReading } from '../live/reading';
import { gapNote } from '../live/reading-store';
import { useSession } from '../live/session';
import { useTRPC, useTRPCClient } from '../live/trpc';
import { useDebounced } from '../live/use-debounced';
import { useLive } from '../live/use-live';
import { setAddress } from '../navigation/set-address';
import { PastNote } from '../past/past-note';
import { Button } from '../ui/controls/button';
import { SearchField } from '../ui/controls/search-field';
import { PageHead } from '../ui/page-head';
import { COUNTERS_SHOWN, foundInPast, foundLabel, readCounterSearch } from './counter-labels';
import { CounterTable } from './counter-table';
import { COURSES_POLL_MS } from './course/course-panel';
import { NewCounterDialog } from './new-counter-dialog';

/** Every counter, by name, live. */
export function CountersView({ initial }: { initial: CounterPage }) {
  const client = useTRPCClient();
  const trpc = useTRPC();
  const isOperator = useSession().may('operator');
  const [text, setText] = useState(readCounterSearch(useSearchParams()));
  const search = useDebounced(text.trim());
  const seek = (next: string) => {
    setText(next);
    setAddress({ q: next.trim() });
  };
  const input = { limit: COUNTERS_SHOWN, ...(search && { search }) };
  const live = useLive<CounterPage>(search, initial, ({ onData, ...rest }) =>
    client.counters.watch.subscribe(input, {
      ...rest,
      onData: (message) => onData(message.data),
    }),
  );
  const { receivedAt, link, refusal, retry } = live;
  const data = useMemo(
    () => (live.data.past ? foundInPast(live.data, search) : live.data),
    [live.data, search],
  );
  const { rows } = data;
  const courses = useQuery(
    trpc.counters.courses.queryOptions(input, {
      enabled: !data.past,
      refetchInterval: COURSES_POLL_MS,
      placeholderData: keepPreviousData,
    }),
  );
  const selecting = useSelection(rows, isNameable);
  const reading = useLiveReading(data, { receivedAt, refusal });
  return (
    <ReadingProvider reading={reading}>
      <div className="page">
        <div>
          <PageHead
            title="Counters"
            end={
              isOperator && (
                <CounterActions
                  hasNone={data.total === 0}
                  namespace={onlyNamespace(data)}
                  onGone={selecting.drop}
                />
              )
            }
          >
            Bounded integer counters, shared by all services.
          </PageHead>
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2 pb-3">
            <SearchField
              label="Search counters"
              value={text}
              onChange={seek}
              className="w-full sm:w-[280px]"
            />
            <span className="text-12 text-t3">
              {search
                ? foundLabel(data, data.past ? live.data.rows.length : data.total)
                : plural(data.total, 'counter')}
              {data.matching > rows.length && `, showing the first ${exactCount(rows.length)}`}
            </span>
            <span className="ml-auto flex items-center gap-4">
              {isOperator && rows.length > 0 && <SelectButton selecting={selecting} />}
              <LiveIndicator link={link} onRetry={retry} isFleet />
            </span>
          </div>
          <PastNote
            past={data.past}
            limits="Counters deleted since then are missing; the limits are the present ones."
          />
          {rows.length > 0 ? (
            <CounterTable
              rows={rows}
              courses={data.past ? null : courses.data}
              selecting={isOperator ? selecting : null}
            />
          ) : (
            <NoCounters
              isPast={data.past !== undefined}
              gap={gapNote(data.backends)}
              onClear={search === '' ? null : () => seek('')}
              mayCreate={isOperator}
            />
          )}
        </div>
      </div>
      <ConnectionLostNote />
      {isOperator && <SelectionBar kind="counter" selecting={selecting} />}
    </ReadingProvider>
  );
}

/** The namespace of all counters that match, as far as they are listed; null: they have several. */
function onlyNamespace({ rows }: CounterPage): string | null {
  const [first] = rows;
  const isOnly = rows.every(({ namespace }) => namespace === first?.namespace);
  return first && isOnly ? first.namespace : null;
}

/** What an operator can do with all counters, and with none. */
function CounterActions({
  hasNone,
  namespace,
  onGone,
}: {
  hasNone: boolean;
  /** Where the dialogs begin; null: in the default namespace. */
  namespace: string | null;
  onGone: DeletionProps['onGone'];
}) {
  const [isCreating, setCreating] = useState(false);
  return (
    <span className="flex flex-wrap gap-2">
      <DeleteNamesButton
        kind="counter"
        at={namespace === null ? {} : { namespace }}
        onGone={onGone}
        isHidden={hasNone}
      >
        Delete counters…
      </DeleteNamesButton>
      <Button tone="accent" onClick={() => setCreating(true)}>
        New counter…
      </Button>
      {isCreating && (
        <NewCounterDialog at={namespace ?? 'default'} onClose={() => setCreating(false)} />
      )}
    </span>
  );
}

/** @param onClear ends the search that finds none; null: there are none */
function NoCounters({
  isPast,
  gap,
  onClear,
  mayCreate,
}: {
  isPast: boolean;
  /** See `gapNote`. */
  gap: string;
  onClear: (() => void) | null;
  mayCreate: boolean;
}) {
  if (gap !== '' && !onClear) {
    return (
      <p className="card px-3.5 py-6 text-14">
        No counters are known.{' '}
        <span className="text-t2">{gap} Whether there are counters is unknown.</span>
      </p>
    );
  }
  if (isPast && !onClear) {
    return (
      <p className="card px-3.5 py-6 text-14">
        None of the present counters existed at this instant.
      </p>
    );
  }
  return (
    <div className="card px-3.5 py-6">
      <p className="text-14">
        {onClear ? 'No counters match. ' : 'No counters yet.'}
        {onClear && (
          <button type="button" className="link rounded-4" onClick={onClear}>
            Clear search
          </button>
        )}
      </p>
      {!onClear && (
        <p className="max-w-[65ch] pt-1 text-t2">
          Create one {mayCreate && 'here or '}with{' '}
          <code className="font-mono text-12">counter.create</code>.
        </p>
      )}
    </div>
  );
}
