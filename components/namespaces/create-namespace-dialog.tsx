'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useId } from 'react';
import { DEFAULT_POLICY } from '@/server/contract/namespace-policy';
import { useTRPC, useTRPCClient } from '../live/trpc';
import { Field } from '../ui/controls/field';
import { FormDialog } from '../ui/controls/form-dialog';
import { parsePolicyForm } from './parse-policy-form';
import { PolicyFields } from './policy-fields';

/** Creates a namespace, optionally with its own policy. */
export function CreateNamespaceDialog({ onClose }: { onClose: () => void }) {
  const id = useId();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const { data: backends } = useQuery(trpc.backends.list.queryOptions());
  return (
    <FormDialog
      title="A new namespace"
      intro="Its backend cannot be changed later; its policy can."
      act="Make the namespace"
      onClose={onClose}
      onAct={async (form) => {
        const policy = parsePolicyForm(form);
        await client.namespaces.create.mutate({
          name: String(form.get('name')).trim(),
          backend: String(form.get('backend') ?? 'default'),
          ...(policy && { policy }),
        });
        await queries.invalidateQueries({ queryKey: trpc.namespaces.list.queryKey() });
        onClose();
      }}
    >
      <Field
        label="Name"
        hint="a to z, digits and . _ -"
        name="name"
        mono
        required
        maxLength={63}
        pattern="[a-z0-9][a-z0-9._\-]*"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
      />
      <div>
        <label htmlFor={id} className="mb-1.5 block font-[550]">
          Backend
        </label>
        <select id={id} name="backend" className="field" defaultValue="default">
          {(backends ?? []).map((backend) => (
            <option key={backend.id} value={backend.id}>
              {backend.id} ({backend.kind})
            </option>
          ))}
        </select>
      </div>
      <PolicyFields policy={DEFAULT_POLICY} isOwnAtFirst={false} />
    </FormDialog>
  );
}
