'use client';

import { useState } from 'react';
import { problemOf, readFailureTitle } from '../live/problem';
import { useTRPCClient } from '../live/trpc';
import { useNamespaceChoice } from '../namespaces/use-namespaces';
import { Button } from '../ui/controls/button';
import { Field } from '../ui/controls/field';
import { FormDialog } from '../ui/controls/form-dialog';
import { ProblemNote } from '../ui/problem-note';
import { KeyExpiryField, KeyLimitFields, limitsIn } from './key-limit-fields';
import { KeyOnceDialog, SECRET_LOST } from './key-once-dialog';

const NAMESPACES_FAILURE = readFailureTitle(null, 'the namespaces');

const PURPOSES = [
  { witness: false, label: 'A service', means: 'acquires locks' },
  { witness: true, label: 'A witness', means: 'reports which processes are alive' },
];

/** Creates an API key for a service or a witness, and shows it once. */
export function CreateKeyDialog({
  onClose,
  onCreated,
}: {
  onClose: () => void;
  onCreated: () => void;
}) {
  const client = useTRPCClient();
  const [isWitness, setWitness] = useState(false);
  const [created, setCreated] = useState<{ name: string; key: string } | null>(null);

  if (created) {
    return (
      <KeyOnceDialog name={created.name} secret={created.key} onClose={onClose}>
        {isWitness && (
          <p className="mt-3 text-t2">
            On that machine run <code className="font-mono">lockyard witness</code> with the key in{' '}
            <code className="font-mono">LOCKYARD_API_KEY</code>.
          </p>
        )}
      </KeyOnceDialog>
    );
  }
  return (
    <FormDialog
      title="New API key"
      intro={
        isWitness
          ? 'Use one key per machine: its name is shown with the evidence.'
          : 'Use one key per service, so holders can be identified.'
      }
      action="Create key"
      onClose={onClose}
      afterwards={SECRET_LOST}
      onSubmit={async (form, send) => {
        const name = String(form.get('name')).trim();
        const chosen = form.getAll('namespace').map(String);
        const purpose = isWitness ? { witness: true } : { namespaces: chosen };
        const input = { name, ...purpose, ...limitsIn(form) };
        const { key } = await send(client.keys.create.mutate(input));
        setCreated({ name, key });
        onCreated();
      }}
    >
      <Field
        label={isWitness ? 'Machine' : 'Service'}
        hint="letters, digits and . _ -"
        name="name"
        mono
        required
        maxLength={40}
        pattern="[A-Za-z0-9][A-Za-z0-9._\-]*"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
      />
      <PurposeField isWitness={isWitness} onChange={setWitness} />
      {!isWitness && <NamespacesField />}
      {isWitness ? (
        <KeyExpiryField />
      ) : (
        <details className="rounded-10 border border-line2">
          <summary className="rounded-10 p-3 font-[550]">Limits</summary>
          <div className="flex flex-col gap-4 p-3 pt-0">
            <KeyLimitFields />
          </div>
        </details>
      )}
    </FormDialog>
  );
}

function PurposeField({
  isWitness,
  onChange,
}: {
  isWitness: boolean;
  onChange: (isWitness: boolean) => void;
}) {
  return (
    <fieldset>
      <legend className="mb-1.5 font-[550]">For</legend>
      <div className="flex flex-col gap-1.5">
        {PURPOSES.map(({ witness, label, means }) => (
          <label key={label} className="flex min-h-8 items-center gap-2.5 pointer-coarse:min-h-11">
            <input
              type="radio"
              name="purpose"
              checked={witness === isWitness}
              onChange={() => onChange(witness)}
              className="size-4 shrink-0 accent-[var(--acc)]"
            />
            {label}
            <span className="text-t3">{means}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function NamespacesField() {
  const { namespaces, failure, refetch } = useNamespaceChoice();
  return (
    <fieldset
      ref={(group) => requireOne(group)}
      onChange={({ currentTarget }) => requireOne(currentTarget)}
    >
      <legend className="mb-1.5 font-[550]">Namespaces</legend>
      {failure && (
        <div className="flex flex-col items-start gap-2">
          <ProblemNote problem={problemOf(failure)} title={NAMESPACES_FAILURE} />
          <Button size="small" onClick={() => void refetch()}>
            Retry
          </Button>
        </div>
      )}
      <div className="flex flex-wrap gap-2">
        {(namespaces ?? []).map(({ name }, place) => (
          <label key={name} className="choice">
            <input
              type="checkbox"
              name="namespace"
              value={name}
              defaultChecked={place === 0 && namespaces?.length === 1}
              className="mr-2 accent-[var(--acc)]"
            />
            {name}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** A group of checkboxes has no `required` of its own. */
function requireOne(group: HTMLFieldSetElement | null): void {
  const boxes = [...(group?.querySelectorAll('input') ?? [])];
  const isChosen = boxes.some(({ checked }) => checked);
  boxes[0]?.setCustomValidity(isChosen ? '' : 'Choose at least one namespace.');
}
