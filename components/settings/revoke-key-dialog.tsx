'use client';

import { useTRPCClient } from '../live/trpc';
import { FormDialog } from '../ui/controls/form-dialog';
import { type IdentifiedKey, KeyIdentity } from './key-cells';

export interface RevocableKey extends IdentifiedKey {
  isWitness: boolean;
}

/** Revokes a key for good. */
export function RevokeKeyDialog({
  of,
  now,
  onClose,
  onRevoked,
}: {
  of: RevocableKey;
  now: number;
  onClose: () => void;
  onRevoked: () => void;
}) {
  const client = useTRPCClient();
  return (
    <FormDialog
      title={`Revoke key of ${of.name}?`}
      intro={
        of.isWitness
          ? 'Reports with this key are rejected within 1 s, and its evidence ages. This ' +
            'cannot be undone.'
          : 'Requests with this key are rejected within 1 s, including waiting ones. ' +
            'Existing holds end with their leases. This cannot be undone.'
      }
      action="Revoke key"
      isDangerous
      onSubmit={async (_, send) => {
        await send(client.keys.revoke.mutate({ id: of.id }));
        onRevoked();
        onClose();
      }}
      onClose={onClose}
    >
      <KeyIdentity of={of} now={now} />
    </FormDialog>
  );
}
