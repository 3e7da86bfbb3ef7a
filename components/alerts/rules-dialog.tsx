'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { AlertRulesRow } from '@/server/contract/console/alerts/alert-row';
import { type AlertRules, DEFAULT_ALERT_RULES } from '@/server/contract/console/alerts/alert-rules';
import { exactCount } from '@/server/core/format/numbers';
import { useTRPC, useTRPCClient } from '../live/trpc';
import { DurationField, enteredDuration } from '../namespaces/duration-field';
import { AuditedReason } from '../ui/controls/audited-reason';
import { Field } from '../ui/controls/field';
import { FormDialog } from '../ui/controls/form-dialog';
import { RULE_FIELDS, rulesText } from './alert-labels';

/**
 * Changes when the alerts of a namespace fire.
 *
 * @param of the rules as they are now. If others change a rule, its field shows the new value once
 *   the operator chooses to use the current rules; the other fields keep what was entered
 */
export function RulesDialog({ of, onClose }: { of: AlertRulesRow; onClose: () => void }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const [seen, setSeen] = useState(of.rules);
  const hasChanged = RULE_FIELDS.some(({ field }) => of.rules[field] !== seen[field]);
  return (
    <FormDialog
      title={`Alert rules for ${of.namespace}`}
      intro="An empty field turns a rule off; 0 fires immediately."
      action="Save rules"
      changed={
        hasChanged
          ? {
              text: `The rules changed since you opened this. Now: ${rulesText(of.rules)}.`,
              onUse: () => setSeen(of.rules),
            }
          : null
      }
      onClose={onClose}
      onSubmit={async (form, send) => {
        const rules = parseRulesForm(form);
        const isDefault = JSON.stringify(rules) === JSON.stringify(DEFAULT_ALERT_RULES);
        const reason = String(form.get('reason')).trim();
        const change = { rules: isDefault ? null : rules, seen, reason };
        await send(client.alerts.setRules.mutate({ namespace: of.namespace, ...change }));
        void queries.invalidateQueries({ queryKey: trpc.alerts.rules.queryKey() });
        onClose();
      }}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        {RULE_FIELDS.map(({ field, label, unit, min, max }) =>
          unit === 'ms' ? (
            <DurationField
              key={`${field} ${seen[field]}`}
              label={label}
              name={field}
              ms={seen[field]}
              min={min}
              max={max}
              isOptional
            />
          ) : (
            <Field
              key={`${field} ${seen[field]}`}
              label={label}
              hint={`${exactCount(min)} to ${exactCount(max)}`}
              name={field}
              type="number"
              inputMode="numeric"
              min={min}
              max={max}
              step={1}
              defaultValue={seen[field] ?? ''}
            />
          ),
        )}
      </div>
      <AuditedReason />
    </FormDialog>
  );
}

/** The rules as they were entered; an empty field turns one off. */
export function parseRulesForm(form: FormData): AlertRules {
  const rules = { ...DEFAULT_ALERT_RULES };
  for (const { field, unit } of RULE_FIELDS) {
    const count = String(form.get(field) ?? '').trim();
    rules[field] =
      unit === 'ms' ? enteredDuration(form, field) : count === '' ? null : Number(count);
  }
  return rules;
}
