'use client';

import { useState } from 'react';
import { HOUR_MS } from '@/server/core/time-units';
import { useTRPCClient } from '../live/trpc';
import { FormDialog } from '../ui/controls/form-dialog';
import { DurationChoice } from './duration-choice';
import { type IdentifiedKey, KeyIdentity } from './key-cells';
import { KeyOnceDialog, SECRET_LOST } from './key-once-dialog';

const GRACES = [
  { label: 'None', ms: 0 },
  { label: '1 hour', ms: HOUR_MS },
  { label: '24 hours', ms: 24 * HOUR_MS },
  { label: '7 days', ms: 7 * 24 * HOUR_MS },
];

/** Creates the successor of a key, and shows it once. */
export function RotateKeyDialog({
  of,
  now,
  onClose,
  onRotated,
}: {
  of: IdentifiedKey;
  now: number;
  onClose: () => void;
  onRotated: () => void;
}) {
  const client = useTRPCClient();
  const [secret, setSecret] = useState<string | null>(null);
  if (secret !== null) return <KeyOnceDialog name={of.name} secret={secret} onClose={onClose} />;
  return (
    <FormDialog
      title={`Rotate key of ${of.name}?`}
      intro={
        'Creates a new key with the same access. Holds belong to the service, so callers can ' +
        'change over while they hold locks.'
      }
      action="Rotate key"
      onClose={onClose}
      afterwards={SECRET_LOST}
      onSubmit={async (form, send) => {
        const graceMs = Number(form.get('grace'));
        const { key } = await send(client.keys.rotate.mutate({ id: of.id, graceMs }));
        setSecret(key);
        onRotated();
      }}
    >
      <KeyIdentity of={of} now={now} />
      <DurationChoice
        legend="Grace for the old key"
        name="grace"
        choices={GRACES}
        chosenMs={24 * HOUR_MS}
      />
    </FormDialog>
  );
}
