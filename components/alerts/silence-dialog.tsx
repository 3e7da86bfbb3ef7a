'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useId } from 'react';
import type { AlertRow } from '@/server/contract/console/alerts/alert-row';
import { ALERT_KINDS } from '@/server/contract/console/alerts/alert-rules';
import { exactPattern } from '@/server/core/alerts/silences';
import { HOUR_MS } from '@/server/core/time-units';
import { useTRPC, useTRPCClient } from '../live/trpc';
import { useNamespaceChoice } from '../namespaces/use-namespaces';
import { AuditedReason } from '../ui/controls/audited-reason';
import { Field } from '../ui/controls/field';
import { FormDialog } from '../ui/controls/form-dialog';
import { kindLabel, silenceNamespaces } from './alert-labels';

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
export function SilenceDialog({ of, onClose }: { of: AlertRow | null; onClose: () => void }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const { namespaces = [], failure } = useNamespaceChoice();
  const kinds = ALERT_KINDS.map((kind) => ({ value: kind, label: kindLabel(kind) }));
  const spans = SPANS.map(({ label, ms }) => ({ value: String(ms), label }));
  const known = namespaces.map(({ name }) => name);
  const names = silenceNamespaces(known, of?.namespace).map((name) => {
    return { value: name, label: name };
  });
  return (
    <FormDialog
      title="Silence alerts"
      intro={
        'Silenced alerts still fire and appear on this page, but are not sent. Those still ' +
        'firing when the silence ends are sent then.'
      }
      action="Silence"
      onClose={onClose}
      onSubmit={async (form, send) => {
        const text = (field: string) => String(form.get(field) ?? '').trim();
        // Names may begin and end with spaces.
        const name = String(form.get('name') ?? '');
        const kind = ALERT_KINDS.find((each) => each === text('kind'));
        const silence = {
          ...(text('namespace') && { namespace: text('namespace') }),
          ...(kind && { kind }),
          ...(name && { name }),
          forMs: Number(form.get('forMs')),
          reason: text('reason'),
        };
        await send(client.alerts.silence.mutate(silence));
        void queries.invalidateQueries({ queryKey: trpc.alerts.list.queryKey() });
        onClose();
      }}
    >
      <Choice
        label="Namespace"
        hint={failure ? 'the list could not be loaded' : ''}
        name="namespace"
        any="All"
        options={names}
        initial={of?.namespace}
      />
      <Choice label="Alerts" name="kind" any="All" options={kinds} initial={of?.kind} />
      <Field
        label="Name"
        hint="of the lock or counter; * matches any text, \* an asterisk; empty: all"
        name="name"
        mono
        maxLength={200}
        defaultValue={exactPattern(of?.name ?? '')}
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
  hint = '',
  name,
  any,
  options,
  initial,
}: {
  label: string;
  hint?: string;
  name: string;
  /** The label of the empty choice; absent: a choice is required. */
  any?: string;
  options: { value: string; label: string }[];
  initial?: string | undefined;
}) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 flex flex-wrap items-baseline gap-x-2">
        <span className="font-[550]">{label}</span>
        {hint && <span className="text-12 text-t3">{hint}</span>}
      </label>
      <select id={id} name={name} className="field" defaultValue={initial}>
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
