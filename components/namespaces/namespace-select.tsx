'use client';

import { PlaceSelect } from './place-select';
import { useNamespaceChoice } from './use-namespaces';

/** Chooses a namespace; if the others are unknown, offers only the chosen one and says so. */
export function NamespaceSelect({
  value,
  isDisabled = false,
  onChange,
}: {
  value: string;
  isDisabled?: boolean;
  onChange: (namespace: string) => void;
}) {
  const { namespaces = [], failure } = useNamespaceChoice();
  const known = namespaces.map(({ name }) => name);
  const names = known.includes(value) ? known : [value, ...known];
  return (
    <PlaceSelect
      label="Namespace"
      value={value}
      disabled={isDisabled}
      onChange={(event) => onChange(event.target.value)}
      failure={failure ? 'The other namespaces could not be loaded' : null}
    >
      {names.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </PlaceSelect>
  );
}
