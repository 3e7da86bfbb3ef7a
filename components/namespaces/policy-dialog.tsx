'use client';

import { useQueryClient } from '@tanstack/react-query';
import { REASON_MAX_CHARS, REASON_MIN_CHARS } from '@/server/contract/console/console-terms';
import type { NamespaceRow } from '@/server/contract/console/namespace-row';
import { useTRPC, useTRPCClient } from '../live/trpc';
import { Field } from '../ui/controls/field';
import { FormDialog } from '../ui/controls/form-dialog';
import { parsePolicyForm } from './parse-policy-form';
import { PolicyFields } from './policy-fields';

/** Changes what a namespace allows its callers. */
export function PolicyDialog({ of, onClose }: { of: NamespaceRow; onClose: () => void }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const { policy, name, hasOwnPolicy } = of;
  return (
    <FormDialog
      title={`The policy of ${name}`}
      intro="It holds for new calls within 2 s. Whoever holds a lock or waits for one keeps what it has."
      act="Change the policy"
      onClose={onClose}
      onAct={async (form) => {
        await client.namespaces.setPolicy.mutate({
          name,
          policy: parsePolicyForm(form),
          reason: String(form.get('reason')),
        });
        await queries.invalidateQueries({ queryKey: trpc.namespaces.list.queryKey() });
        onClose();
      }}
    >
      <PolicyFields policy={policy} isOwnAtFirst={hasOwnPolicy} />
      <Field
        label="Reason"
        hint="kept in the audit log"
        name="reason"
        required
        minLength={REASON_MIN_CHARS}
        maxLength={REASON_MAX_CHARS}
        autoComplete="off"
      />
    </FormDialog>
  );
}
