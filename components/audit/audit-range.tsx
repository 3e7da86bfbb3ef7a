'use client';

import { useState } from 'react';
import { useIsHydrated } from '../live/use-is-hydrated';

/** From when and until when entries are shown, in the reader's time zone. */
export function AuditRange({
  from,
  to,
  onChange,
}: {
  from: number | null;
  to: number | null;
  onChange: (range: { from?: number | null; to?: number | null }) => void;
}) {
  return (
    <fieldset className="flex flex-wrap items-center gap-x-3 gap-y-2 text-12 text-t2 max-sm:w-full">
      <legend className="sr-only">Time</legend>
      <InstantField label="From" at={from} onChange={(from) => onChange({ from })} />
      <InstantField label="To" at={to} onChange={(to) => onChange({ to })} />
    </fieldset>
  );
}

function InstantField({
  label,
  at,
  onChange,
}: {
  label: string;
  at: number | null;
  onChange: (at: number | null) => void;
}) {
  const isHydrated = useIsHydrated();
  // While a year is typed, its first digits are years too, which must not filter the list.
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <label className="flex items-center gap-1.5 max-sm:w-full">
      <span className="max-sm:w-8">{label}</span>
      <input
        type="datetime-local"
        max="9999-12-31T23:59"
        className="field audit-instant max-sm:grow"
        value={typed ?? (isHydrated ? localText(at) : '')}
        onChange={({ target: { value } }) => {
          setTyped(value);
          const next = instantOf(value);
          if (value === '' || next !== null) onChange(next);
        }}
        onBlur={() => setTyped(null)}
      />
    </label>
  );
}

const two = (value: number) => String(value).padStart(2, '0');

/** In the format of the field: 2026-11-20T14:05, in the reader's time zone. */
function localText(at: number | null): string {
  if (at === null) return '';
  const date = new Date(at);
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** The instant in the field; null if it is empty, or earlier than any entry can be. */
function instantOf(text: string): number | null {
  const at = new Date(text).getTime();
  return at >= 0 ? at : null;
}
