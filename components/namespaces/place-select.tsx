import { type ReactNode, type SelectHTMLAttributes, useId } from 'react';

/** A labelled choice of a namespace or a backend, which says if the others are unknown. */
export function PlaceSelect({
  label,
  failure,
  children,
  ...select
}: Omit<SelectHTMLAttributes<HTMLSelectElement>, 'id'> & {
  label: string;
  /** Why the others cannot be offered; null: all are offered. */
  failure: string | null;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block font-[550]">
        {label}
      </label>
      <select
        {...select}
        id={id}
        className="field"
        aria-describedby={failure ? `${id}-failure` : undefined}
      >
        {children}
      </select>
      {failure && (
        <p id={`${id}-failure`} className="mt-1 text-12 text-dangertext">
          {failure}
        </p>
      )}
    </div>
  );
}
