'use client';

import { useState } from 'react';
import type { LabEntry } from '@/server/contract/console/lab/lab-race';
import { Button } from '../ui/controls/button';
import { RowsSkeleton } from '../ui/rows-skeleton';
import { numberLabel } from './run-labels';
import { SourceDialog } from './source/source-dialog';

/** The strategies of the catalogue, by section, to be chosen; each one's source is a click away. */
export function StrategyPicker({
  entries,
  chosen,
  isReadOnly,
  onChoose,
}: {
  /** Null until the servers were asked. */
  entries: LabEntry[] | null;
  chosen: ReadonlySet<string>;
  isReadOnly: boolean;
  onChoose: (ids: ReadonlySet<string>) => void;
}) {
  const [shown, setShown] = useState<LabEntry | null>(null);
  // As high as the catalogue on most screens, so that what is below it does not move.
  if (entries === null) return <RowsSkeleton rows={20} />;
  const runnable = entries.filter(({ lacks }) => lacks === null);
  const lacking = entries.length - runnable.length;
  const choose = (some: LabEntry[]) => onChoose(new Set(some.map(({ id }) => id)));
  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    onChoose(next);
  };
  return (
    <div className="px-3.5 pt-3">
      {!isReadOnly && (
        <div className="flex flex-wrap gap-2 pb-1">
          <Button size="small" onClick={() => choose(runnable)}>
            All that can run
          </Button>
          <Button
            size="small"
            onClick={() => choose(runnable.filter(({ kind }) => kind === 'wrong way'))}
          >
            Wrong ways
          </Button>
          <Button size="small" onClick={() => choose([])}>
            None
          </Button>
        </div>
      )}
      {lacking > 0 && (
        <p className="pt-1 text-12 text-t2">
          {lacking} of {entries.length} {lacking === 1 ? 'needs' : 'need'} a server that is not
          available: see “Servers” on this page.
        </p>
      )}
      <div className="lab-families">
        {families(entries).map(([family, members]) => (
          <fieldset key={family} className="lab-family">
            <legend>{family}</legend>
            {lackOfAll(members) && (
              <p className="pb-1 text-12 text-t3">
                {lackOfAll(members)?.replaceAll(VARIABLES, '')}
              </p>
            )}
            {members.map((entry) => (
              <Strategy
                key={entry.id}
                entry={entry}
                lacks={lackOfAll(members) === null ? entry.lacks : null}
                isChosen={chosen.has(entry.id)}
                isReadOnly={isReadOnly}
                onToggle={() => toggle(entry.id)}
                onSource={() => setShown(entry)}
              />
            ))}
          </fieldset>
        ))}
      </div>
      {shown && <SourceDialog id={shown.id} title={shown.title} onClose={() => setShown(null)} />}
    </div>
  );
}

function Strategy({
  entry: { id, number, title, servers, consistency, summary, lacks: lacksNow },
  lacks,
  isChosen,
  isReadOnly,
  onToggle,
  onSource,
}: {
  entry: LabEntry;
  /** What it lacks, unless its whole section lacks the same and says so. */
  lacks: string | null;
  isChosen: boolean;
  isReadOnly: boolean;
  onToggle: () => void;
  onSource: () => void;
}) {
  const promise = consistency === 'None' ? null : consistency;
  const facts =
    lacks === null ? [servers, promise] : [lacks.replaceAll(VARIABLES, '').replace(/\.$/, '')];
  return (
    <div className="lab-strategy" data-lacks={lacksNow !== null}>
      <label title={summary}>
        <input
          type="checkbox"
          name={id}
          checked={isChosen}
          disabled={isReadOnly || lacksNow !== null}
          onChange={onToggle}
        />
        <span className="min-w-0">
          <span className="block">{title}</span>
          <span className="block text-12 text-t3">
            {[numberLabel(number), ...facts].filter((fact) => fact).join(' · ')}
          </span>
        </span>
      </label>
      <button
        type="button"
        className="lab-source"
        aria-label={`Source of ${title}`}
        onClick={onSource}
      >
        Source
      </button>
    </div>
  );
}

/** Left out, since the panel of the servers names the variables that add one. */
const VARIABLES = / ?\(LOCKYARD_[^)]*\)/g;

/** What every strategy of a section lacks; null where they differ, or can run. */
function lackOfAll(members: LabEntry[]): string | null {
  const [first] = members;
  return first && members.every(({ lacks }) => lacks === first.lacks) ? first.lacks : null;
}

/** The sections in the catalogue's order. */
function families(entries: LabEntry[]): [family: string, members: LabEntry[]][] {
  const found = new Map<string, LabEntry[]>();
  for (const entry of entries) {
    found.set(entry.family, [...(found.get(entry.family) ?? []), entry]);
  }
  return [...found];
}
