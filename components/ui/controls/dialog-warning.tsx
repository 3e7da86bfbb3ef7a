import type { ReactNode } from 'react';
import { Icon } from '../../icons/icon';

/** What the act of a dialog does, or does not do, that must not be missed. */
export function DialogWarning({
  className = '',
  children,
}: {
  className?: string;
  children: ReactNode;
}) {
  return (
    <p className={`flex gap-3 rounded-10 bg-contended-tint px-3.5 py-2.5 ${className}`}>
      <Icon name="alert-triangle" size={16} className="mt-0.5 shrink-0 text-contended" />
      <span className="min-w-0">{children}</span>
    </p>
  );
}
