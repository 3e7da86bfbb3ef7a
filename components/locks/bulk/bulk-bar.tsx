'use client';

import { useLayoutEffect, useRef, useState } from 'react';
import type { LockRow } from '@/server/contract/console/lock-row';
import { SelectionBar } from '../../deletion/selection-bar';
import type { Selection, SelectionControls } from '../../deletion/use-selection';
import { useKeys } from '../../live/use-keys';
import { lazyDialog } from '../../navigation/lazy-dialog';
import { Button } from '../../ui/controls/button';
import type { BulkAct } from './bulk-act';

const BulkDialog = lazyDialog(() => import('./bulk-dialog').then((all) => all.BulkDialog));

const ACTS: { act: BulkAct; key: string; label: string }[] = [
  { act: 'ask', key: 'a', label: 'Ask…' },
  { act: 'extend', key: 'e', label: 'Extend…' },
  { act: 'release', key: 'r', label: 'Force release…' },
  { act: 'freeze', key: 'f', label: 'Freeze…' },
];

/** The selected locks, and what can be done to all of them. */
export function BulkBar({ rows, selecting }: { rows: LockRow[]; selecting: SelectionControls }) {
  const { selection } = selecting;
  const known = useLastRows(rows, selection);
  const [open, setOpen] = useState<{ act: BulkAct; rows: LockRow[] } | null>(null);
  const selected = [...selection.keys()].flatMap((id) => known.get(id) ?? []);
  const begin = (act: BulkAct) => setOpen({ act, rows: selected });
  return (
    <SelectionBar kind="lock" selecting={selecting}>
      {selection.size > 0 && (
        <>
          <BulkKeys onAct={begin} onClear={selecting.clear} />
          {ACTS.map(({ act, key, label }) => (
            <Button
              key={act}
              tone={act === 'release' ? 'danger-word' : 'plain'}
              className="max-md:px-2.5"
              onClick={() => begin(act)}
            >
              {label}
              <kbd className="key max-md:hidden">{key}</kbd>
            </Button>
          ))}
        </>
      )}
      {open && <BulkDialog {...open} onClose={() => setOpen(null)} />}
    </SelectionBar>
  );
}

/** Mounted while rows are selected: then the keys of the acts apply to all of them. */
function BulkKeys({ onAct, onClear }: { onAct: (act: BulkAct) => void; onClear: () => void }) {
  const acts = ACTS.map(({ act, key }) => [key, () => onAct(act)]);
  useKeys({ ...Object.fromEntries(acts), Escape: onClear });
  return null;
}

/** The selected rows as they were last loaded. */
function useLastRows(rows: LockRow[], selection: Selection): ReadonlyMap<string, LockRow> {
  const [known, setKnown] = useState<ReadonlyMap<string, LockRow>>(new Map());
  const latest = useRef(known);
  // Before the browser paints: a key pressed right afterwards acts on all rows shown as selected.
  useLayoutEffect(() => {
    const loaded = new Map(rows.map((row) => [row.id, row]));
    const next = new Map<string, LockRow>();
    for (const id of selection.keys()) {
      const row = loaded.get(id) ?? latest.current.get(id);
      if (row) next.set(id, row);
    }
    const before = latest.current;
    const isSame =
      next.size === before.size && [...next].every(([id, row]) => before.get(id) === row);
    if (isSame) return;
    latest.current = next;
    setKnown(next);
  }, [rows, selection]);
  return known;
}
