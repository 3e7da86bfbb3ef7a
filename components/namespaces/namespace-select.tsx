'use client';

import { useId } from 'react';
import { useNamespaceChoice } from './use-namespaces';

/** Chooses a namespace; offers the chosen one alone, and says so, where the others are unknown. */
export function NamespaceSelect({
  value,
  isDisabled = false,
  onChange,
}: {
  value: string;
  isDisabled?: boolean;
  onChange: (namespace: string) => void;
}) {
  const id = useId();
  const { namespaces = [], failure } = useNamespaceChoice();
  const known = namespaces.map(({ name }) => name);
  const names = known.includes(value) ? known : [value, ...known];
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block font-[550]">
        Namespace
      </label>
      <select
        id={id}
        className="field"
        value={value}
        disabled={isDisabled}
        aria-describedby={failure ? `${id}-failure` : undefined}
        onChange={(event) => onChange(event.target.value)}
      >
        {names.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      {failure && (
        <p id={`${id}-failure`} className="mt-1 text-12 text-dangertext">
          The other namespaces could not be loaded
        </p>
      )}
    </div>
  );
}
