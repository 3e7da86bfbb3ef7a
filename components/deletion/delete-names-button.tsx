'use client';

import { useState } from 'react';
import { useSession } from '../live/session';
import { Button } from '../ui/controls/button';
import { DeleteNamesDialog } from './delete-names-dialog';
import type { DeletionForm } from './deletion-fields';
import type { DeletionTarget } from './use-deletion';

/** Opens the deletion of names; renders nothing for a viewer. */
export function DeleteNamesButton({
  kind,
  at,
  onGone,
  children = 'Delete…',
  className = '',
}: {
  kind: DeletionTarget['kind'];
  /** What the dialog begins with. */
  at: Partial<DeletionForm>;
  /** Called while names go, with those that are gone. */
  onGone?: ((namespace: string, names: string[]) => void) | undefined;
  children?: string;
  className?: string;
}) {
  const { may } = useSession();
  const [isOpen, setOpen] = useState(false);
  // A line is a name, so one with a line break cannot be typed.
  if (!may('operator') || at.names?.includes('\n')) return null;
  return (
    <>
      <Button onClick={() => setOpen(true)} className={className}>
        {children}
      </Button>
      {isOpen && (
        <DeleteNamesDialog kind={kind} at={at} onGone={onGone} onClose={() => setOpen(false)} />
      )}
    </>
  );
}
