'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useId } from 'react';
import type { AlertRow } from '@/server/contract/console/alerts/alert-row';
import { ALERT_KINDS } from '@/server/contract/console/alerts/alert-rules';
import { useTRPC, useTRPCClient } from '../live/trpc';
import { AuditedReason } from '../ui/controls/audited-reason';
import { Field } from '../ui/controls/field';
import { FormDialog } from '../ui/controls/form-dialog';
import { kindLabel } from './alert-labels';

const HOUR_MS = 60 * 60_000;
const SPANS = [
  { label: '1 hour', ms: HOUR_MS },
  { label: '4 hours', ms: 4 * HOUR_MS },
  { label: '1 day', ms: 24 * HOUR_MS },
  { label: '7 days', ms: 7 * 24 * HOUR_MS },
  { label: '30 days', ms: 30 * 24 * HOUR_MS },
];

/**
 * Keeps alerts from being sent for a while.
 *
 * @param of what it matches at first; null: nothing yet
 */
export default function SilenceDialog({
  of,
  onClose,
}: {
  of: AlertRow | null;
  onClose: () => void;
}) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const { data: namespaces = [] } = useQuery(trpc.namespaces.list.queryOptions());
  const kinds = ALERT_KINDS.map((kind) => ({ value: kind, label: kindLabel(kind) }));
  const spans = SPANS.map(({ label, ms }) => ({ value: String(ms), label }));
  const names = namespaces.map(({ name }) => ({ value: name, label: name }));
  return (
    <FormDialog
      title="Silence alerts"
      intro="Silenced alerts still fire and appear on this page, but are not sent. Those still firing when the silence ends are sent then."
      action="Silence"
      onClose={onClose}
      onSubmit={async (form) => {
        const text = (field: string) => String(form.get(field) ?? '').trim();
        const kind = ALERT_KINDS.find((each) => each === text('kind'));
        await client.alerts.silence.mutate({
          ...(text('namespace') && { namespace: text('namespace') }),
          ...(kind && { kind }),
          ...(text('name') && { name: text('name') }),
          forMs: Number(form.get('forMs')),
          reason: text('reason'),
        });
        await queries.invalidateQueries({ queryKey: trpc.alerts.list.queryKey() });
        onClose();
      }}
    >
      <Choice
        label="Namespace"
        name="namespace"
        any="All"
        options={names}
        initial={of?.namespace}
      />
      <Choice label="Alerts" name="kind" any="All" options={kinds} initial={of?.kind} />
      <Field
        label="Name"
        hint="of the lock or counter; * matches any text; empty: all"
        name="name"
        mono
        maxLength={200}
        defaultValue={of?.name ?? ''}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
      />
      <Choice label="For" name="forMs" options={spans} />
      <AuditedReason />
    </FormDialog>
  );
}

function Choice({
  label,
  name,
  any,
  options,
  initial,
}: {
  label: string;
  name: string;
  /** The label of no choice; absent: one must be made. */
  any?: string;
  options: { value: string; label: string }[];
  initial?: string | undefined;
}) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block font-[550]">
        {label}
      </label>
      <select id={id} name={name} className="field" defaultValue={initial} key={options.length}>
        {any !== undefined && <option value="">{any}</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </div>
  );
}
