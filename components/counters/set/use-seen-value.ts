import { useState } from 'react';
import type { CounterRow } from '@/server/contract/console/counter-row';

/** The value of a counter that an operator saw, on which setting it is based. */
interface SeenValue {
  /** The counter as it was seen, or as it is now if the value is set whatever it is by then. */
  row: CounterRow;
  value: number;
  /** The revision that was seen. */
  rev: number;
  /** The value is set whatever it is by then. */
  isAnyway: boolean;
  /** The value that it has instead; null: it is still the one that was seen, or is not known. */
  changedTo: number | null;
  acceptCurrent: () => void;
  ignoreChanges: () => void;
  /** The server refused to set the counter, since it has this value. */
  refuse: (value: number) => void;
}

/** Keeps the value of a counter as it was when its dialog opened. */
export function useSeenValue(current: CounterRow): SeenValue {
  const [seen, setSeen] = useState(current);
  const [isAnyway, setAnyway] = useState(false);
  const [refusedAt, setRefusedAt] = useState<number | null>(null);
  const row = isAnyway ? current : seen;
  const value = row.value ?? 0;
  // The server may know of another value before this page does.
  const now = current.rev > seen.rev ? current.value : (refusedAt ?? seen.value);
  return {
    row,
    value,
    rev: seen.rev,
    isAnyway,
    changedTo: isAnyway || now === value ? null : now,
    acceptCurrent: () => {
      setSeen({ ...current, value: now });
      setRefusedAt(null);
    },
    ignoreChanges: () => setAnyway(true),
    refuse: setRefusedAt,
  };
}
