'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { NamespaceRow } from '@/server/contract/console/namespace-row';
import { DEFAULT_POLICY } from '@/server/contract/namespace-policy';
import { useTRPC, useTRPCClient } from '../live/trpc';
import { AuditedReason } from '../ui/controls/audited-reason';
import { Field } from '../ui/controls/field';
import { FormDialog } from '../ui/controls/form-dialog';
import { BackendSelect } from './backend-select';
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
      onSubmit={async (form) => {
        const policy = parsePolicyForm(form);
        await client.namespaces.create.mutate({
          name: String(form.get('name')).trim(),
          backend: String(form.get('backend')),
          ...(policy && { policy }),
        });
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

/** Changes the policy of a namespace. */
export function PolicyDialog({ of, onClose }: { of: NamespaceRow; onClose: () => void }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const { policy, name, hasOwnPolicy } = of;
  const gates = useGates();
  return (
    <FormDialog
      title={`Policy for ${name}`}
      intro="Applies to new requests within 2 s; existing holds and waiters are unaffected."
      action="Save policy"
      onClose={onClose}
      onSubmit={async (form) => {
        await client.namespaces.setPolicy.mutate({
          name,
          policy: parsePolicyForm(form),
          seen: hasOwnPolicy ? policy : null,
          reason: String(form.get('reason')),
        });
        void queries.invalidateQueries({ queryKey: trpc.namespaces.pathKey() });
        onClose();
      }}
    >
      <PolicyFields policy={policy} gates={gates} isCustomAtFirst={hasOwnPolicy} />
      <AuditedReason />
    </FormDialog>
  );
}
