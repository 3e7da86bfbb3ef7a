'use client';

import type { ReactNode } from 'react';
import { MINUTE_MS } from '@/server/core/time-units';
import { rangeText } from '../../format/durations';
import { Choice } from '../../ui/controls/choices/choice';

const EXTENSIONS_MS = [1, 5, 15, 60, 240].map((minutes) => minutes * MINUTE_MS);

/** How long a lease is extended by default. */
export const FIRST_EXTENSION_MS = 5 * MINUTE_MS;

/** A choice of the time by which a lease, or each of several, is extended. */
export function ExtensionChoice({
  name,
  byMs,
  onChange,
  children,
}: {
  /** The name of the radio buttons in their form. */
  name: string;
  byMs: number;
  onChange: (byMs: number) => void;
  /** The result of the choice, beside the legend. */
  children?: ReactNode;
}) {
  return (
    <fieldset>
      <legend className="mb-1.5 flex flex-wrap items-baseline gap-x-2">
        <span className="font-[550]">Extend by</span>
        {children}
      </legend>
      <div className="flex flex-wrap gap-2">
        {EXTENSIONS_MS.map((choice) => (
          <Choice
            key={choice}
            name={name}
            isChosen={choice === byMs}
            onChoose={() => onChange(choice)}
          >
            {rangeText(choice)}
          </Choice>
        ))}
      </div>
    </fieldset>
  );
}
