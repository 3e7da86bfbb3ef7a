'use client';

import type { ComponentProps } from 'react';
import { Icon } from '../../icons/icon';

interface SearchFieldProps extends Omit<ComponentProps<'input'>, 'onChange' | 'value'> {
  value: string;
  /** What is searched: the accessible name, and the placeholder unless there is a shorter one. */
  label: string;
  onChange: (value: string) => void;
}

/** A search field with its icon. */
export function SearchField({
  label,
  placeholder = label,
  onChange,
  className = '',
  children,
  ...input
}: SearchFieldProps) {
  return (
    <search className={`relative ${className}`}>
      <Icon
        name="search"
        size={16}
        className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-t3"
      />
      <input
        {...input}
        type="search"
        maxLength={200}
        placeholder={placeholder}
        aria-label={label}
        onChange={(event) => onChange(event.target.value)}
        className="search-field"
      />
      {children}
    </search>
  );
}
