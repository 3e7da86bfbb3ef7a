import type { ReactNode } from 'react';
import { Button } from '../ui/controls/button';
import { Dialog, DialogFoot } from '../ui/controls/dialog';
import { SecretOnce } from '../ui/controls/secret-once';

/** Where a key was made after its dialog was closed. */
export const SECRET_LOST = 'Its secret came too late to be shown: revoke the key or rotate it.';

/** Only its button closes it: a press outside, or Escape, would lose the key. */
const keepOpen = () => {};

/** A new key, shown this once. */
export function KeyOnceDialog({
  name,
  secret,
  onClose,
  children,
}: {
  name: string;
  secret: string;
  onClose: () => void;
  /** What to do with it. */
  children?: ReactNode;
}) {
  return (
    <Dialog open onClose={keepOpen} title={`API key for ${name}`}>
      <div className="mt-4">
        <SecretOnce what="key" secret={secret} />
      </div>
      {children}
      <DialogFoot>
        <Button size="large" tone="accent" onClick={onClose}>
          Done
        </Button>
      </DialogFoot>
    </Dialog>
  );
}
