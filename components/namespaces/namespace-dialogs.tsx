'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { NamespaceRow } from '@/server/contract/console/namespace-row';
import { DEFAULT_POLICY, type NamespacePolicy } from '@/server/contract/namespace-policy';
import { useTRPC, useTRPCClient } from '../live/trpc';
import { AuditedReason } from '../ui/controls/audited-reason';
import { Field } from '../ui/controls/field';
import { FormDialog } from '../ui/controls/form-dialog';
import { BackendSelect } from './backend-select';
import { formatPolicy } from './policy-bounds';
import { PolicyFields, parsePolicyForm } from './policy-fields';
import { useReadFailure } from './use-namespaces';

/** Creates a namespace, optionally with a custom policy. */
export function CreateNamespaceDialog({ onClose }: { onClose: () => void }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const { data, error } = useQuery(trpc.backends.list.queryOptions());
  const failure = useReadFailure(data, error);
  const gates = useGates();
  return (
    <FormDialog
      title="New namespace"
      intro="The backend cannot be changed later; the policy can."
      action="Create namespace"
      onClose={onClose}
      onSubmit={async (form, send) => {
        const policy = parsePolicyForm(form);
        const input = {
          name: String(form.get('name')).trim(),
          backend: String(form.get('backend')),
          ...(policy && { policy }),
        };
        await send(client.namespaces.create.mutate(input));
        void queries.invalidateQueries({ queryKey: trpc.namespaces.list.queryKey() });
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
      <BackendSelect backends={data} isFailing={failure !== null} />
      <PolicyFields policy={DEFAULT_POLICY} gates={gates} isCustomAtFirst={false} />
    </FormDialog>
  );
}

/** The ids of the gates of this server; none until they are known. */
function useGates(): string[] {
  const trpc = useTRPC();
  const { data = [] } = useQuery(trpc.namespaces.gates.queryOptions());
  return data.map(({ id }) => id);
}

/**
 * Changes the policy of a namespace.
 *
 * @param of the namespace as it is now. If another admin changes a limit, its field shows the new
 *   value once the current policy is used; the other fields keep what was entered
 */
export function PolicyDialog({ of, onClose }: { of: NamespaceRow; onClose: () => void }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const { name } = of;
  const present = ownPolicyOf(of);
  const [seen, setSeen] = useState(present);
  const hasChanged = !isSamePolicy(present, seen);
  const gates = useGates();
  return (
    <FormDialog
      title={`Policy for ${name}`}
      intro="Applies to new requests within 2 s; existing holds and waiters are unaffected."
      action="Save policy"
      changed={hasChanged ? { text: changedText(of), onUse: () => setSeen(present) } : null}
      onClose={onClose}
      onSubmit={async (form, send) => {
        const change = { policy: parsePolicyForm(form), seen, reason: String(form.get('reason')) };
        await send(client.namespaces.setPolicy.mutate({ name, ...change }));
        void queries.invalidateQueries({ queryKey: trpc.namespaces.pathKey() });
        onClose();
      }}
    >
      <PolicyFields policy={seen ?? DEFAULT_POLICY} gates={gates} isCustomAtFirst={seen !== null} />
      <AuditedReason />
    </FormDialog>
  );
}

/** Null: it has the default policy. */
const ownPolicyOf = ({ policy, hasOwnPolicy }: NamespaceRow): NamespacePolicy | null =>
  hasOwnPolicy ? policy : null;

/** Both come from the server, with their fields in the same order. */
const isSamePolicy = (one: NamespacePolicy | null, other: NamespacePolicy | null) =>
  JSON.stringify(one) === JSON.stringify(other);

const changedText = ({ policy, hasOwnPolicy }: NamespaceRow): string =>
  'The policy changed since you opened this. Now: ' +
  `${hasOwnPolicy ? formatPolicy(policy) : 'the default policy'}.`;
