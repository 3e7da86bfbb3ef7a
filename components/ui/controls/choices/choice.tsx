import type { ReactNode } from 'react';

/** One of several buttons of which exactly one is pressed: a radio button. */
export function Choice({
  name,
  value,
  isChosen,
  onChoose,
  className = '',
  children,
}: {
  /** The same for all of them. */
  name: string;
  /** In the form that they are in; absent: it has no use for it. */
  value?: string;
  isChosen: boolean;
  onChoose: () => void;
  className?: string;
  children: ReactNode;
}) {
  return (
    <label className={`choice ${className}`}>
      <input
        type="radio"
        name={name}
        value={value}
        className="sr-only"
        checked={isChosen}
        // Tab leads to the chosen one alone, also where a dialog moves the focus.
        tabIndex={isChosen ? 0 : -1}
        onChange={onChoose}
      />
      {children}
    </label>
  );
}
