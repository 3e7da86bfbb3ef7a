'use client';

import { useState } from 'react';
import { useSession } from '../live/session';
import { Button } from '../ui/controls/button';
import type { DeletionProps } from './delete-names-dialog';
import { DeleteNamesDialog } from './lazy-delete-names-dialog';
import { isNameable } from './use-selection';

/** Opens the deletion dialog; renders nothing for a viewer. */
export function DeleteNamesButton({
  children = 'Delete…',
  className = '',
  isHidden = false,
  isDisabled = false,
  describedBy,
  ...deletion
}: DeletionProps & {
  children?: string;
  className?: string;
  /** There is nothing to delete; a dialog that is open stays, with what was deleted. */
  isHidden?: boolean;
  isDisabled?: boolean;
  /** The id of what says why it is disabled. */
  describedBy?: string | undefined;
}) {
  const { may } = useSession();
  const [isOpen, setOpen] = useState(false);
  if (!may('operator') || !isNameable({ name: deletion.at.names ?? '' })) return null;
  return (
    <>
      {!isHidden && (
        <Button
          disabled={isDisabled}
          aria-describedby={describedBy}
          onClick={() => setOpen(true)}
          className={className}
        >
          {children}
        </Button>
      )}
      {isOpen && <DeleteNamesDialog {...deletion} onClose={() => setOpen(false)} />}
    </>
  );
}
