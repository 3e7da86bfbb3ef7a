import type { ReactNode } from 'react';
import { Icon } from '../../../icons/icon';

/** What is said beside the buttons of a dialog; nothing if there is nothing to say. */
export function FootNotes({
  basis,
  missing,
  missingId,
}: {
  /** What the action is based on. */
  basis?: ReactNode;
  /** What must still be filled in before the action is possible. */
  missing: string[];
  /** The id of the note on what is missing, which describes the button that acts. */
  missingId: string;
}) {
  const isComplete = missing.length === 0;
  if (!basis && isComplete) return null;
  return (
    <div className="min-w-0 flex-1 basis-64 text-12 max-sm:basis-full">
      {basis && (
        <p className="flex items-center gap-2 text-t3">
          <Icon name="eye" size={15} />
          <span>{basis}</span>
        </p>
      )}
      {!isComplete && (
        <p id={missingId} className={`text-t2 ${basis ? 'pl-[23px]' : ''}`}>
          Required: {missing.join(', ')}
        </p>
      )}
    </div>
  );
}
