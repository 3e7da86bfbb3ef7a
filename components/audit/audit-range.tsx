'use client';

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
  const isHydrated = useIsHydrated();
  return (
    <fieldset className="flex flex-wrap items-center gap-x-3 gap-y-1 text-12 text-t2">
      <legend className="sr-only">Time</legend>
      {(['from', 'to'] as const).map((side) => (
        <label key={side} className="flex items-center gap-1.5">
          <span className="max-md:w-8">{side === 'from' ? 'From' : 'To'}</span>
          <input
            type="datetime-local"
            className="field audit-instant"
            value={isHydrated ? localText(side === 'from' ? from : to) : ''}
            onChange={({ target }) => onChange({ [side]: instantOf(target.value) })}
          />
        </label>
      ))}
    </fieldset>
  );
}

const two = (value: number) => String(value).padStart(2, '0');

/** As the field writes it: 2026-11-20T14:05, in the reader's time zone. */
function localText(at: number | null): string {
  if (at === null) return '';
  const date = new Date(at);
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

function instantOf(text: string): number | null {
  const at = new Date(text).getTime();
  return Number.isNaN(at) ? null : at;
}
