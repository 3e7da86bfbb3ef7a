'use client';

import { type InputHTMLAttributes, type ReactNode, useId } from 'react';

export interface FieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'id'> {
  label: string;
  /** Why it is asked for, beside the label. */
  hint?: ReactNode;
  /** What is wrong with it, below. */
  problem?: string | null;
  /** Something at the right end inside the field. */
  end?: ReactNode;
  mono?: boolean;
}

/** A labelled text field. */
export function Field({ label, hint, problem, end, mono, className = '', ...input }: FieldProps) {
  const id = useId();
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1.5 flex flex-wrap items-baseline gap-x-2">
        <span className="font-[550]">{label}</span>
        {hint && <span className="text-12 text-t3">{hint}</span>}
      </label>
      <span className="relative block">
        <input
          {...input}
          id={id}
          aria-invalid={problem ? true : undefined}
          aria-describedby={problem ? `${id}-problem` : undefined}
          className={`field ${mono ? 'font-mono' : ''} ${end ? 'pr-24' : ''}`}
        />
        {end && (
          <span className="pointer-events-none absolute inset-y-0 right-3 flex items-center">
            {end}
          </span>
        )}
      </span>
      {problem && (
        <p id={`${id}-problem`} className="mt-1 text-12 text-dangertext">
          {problem}
        </p>
      )}
    </div>
  );
}
