'use client';

import { useQueryClient } from '@tanstack/react-query';
import type { AlertRulesRow } from '@/server/contract/console/alerts/alert-row';
import { type AlertRules, DEFAULT_ALERT_RULES } from '@/server/contract/console/alerts/alert-rules';
import { useTRPC, useTRPCClient } from '../live/trpc';
import { AuditedReason } from '../ui/controls/audited-reason';
import { Field } from '../ui/controls/field';
import { FormDialog } from '../ui/controls/form-dialog';
import { RULE_FIELDS, type RuleField } from './alert-labels';

/** Changes when the alerts of a namespace fire. */
export default function RulesDialog({ of, onClose }: { of: AlertRulesRow; onClose: () => void }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  return (
    <FormDialog
      title={`Alert rules for ${of.namespace}`}
      intro="An empty field turns a rule off. Times are in seconds; 0 fires at once."
      action="Save rules"
      onClose={onClose}
      onSubmit={async (form) => {
        const rules = readRules(form);
        const isDefault = JSON.stringify(rules) === JSON.stringify(DEFAULT_ALERT_RULES);
        const reason = String(form.get('reason')).trim();
        await client.alerts.setRules.mutate({
          namespace: of.namespace,
          rules: isDefault ? null : rules,
          seen: of.rules,
          reason,
        });
        void queries.invalidateQueries({ queryKey: trpc.alerts.rules.queryKey() });
        onClose();
      }}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        {RULE_FIELDS.map((rule) => (
          <Field
            key={rule.field}
            label={rule.label}
            hint={rule.unit === 'ms' ? 'seconds' : 'steps'}
            name={rule.field}
            type="number"
            inputMode="decimal"
            min={(rule.min ?? 0) / 1_000}
            step={rule.unit === 'ms' ? 'any' : 1}
            defaultValue={shown(rule, of.rules)}
          />
        ))}
      </div>
      <AuditedReason />
    </FormDialog>
  );
}

function shown({ field, unit }: RuleField, rules: AlertRules): string {
  const value = rules[field];
  if (value === null) return '';
  return String(unit === 'ms' ? value / 1_000 : value);
}

function readRules(form: FormData): AlertRules {
  const rules = { ...DEFAULT_ALERT_RULES };
  for (const { field, unit } of RULE_FIELDS) {
    const text = String(form.get(field) ?? '').trim();
    const value = Math.round(Number(text) * (unit === 'ms' ? 1_000 : 1));
    rules[field] = text === '' ? null : value;
  }
  return rules;
}
