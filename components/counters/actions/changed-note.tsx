import type { ReactNode } from 'react';
import { Button } from '../../ui/controls/button';

/**
 * Says that the counter has changed since the operator looked, and offers to continue with its
 * current state.
 */
export function ChangedNote({ children, onUse }: { children: ReactNode; onUse: () => void }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <p className="min-w-0">{children}</p>
      <Button onClick={onUse}>Use current state</Button>
    </div>
  );
}
