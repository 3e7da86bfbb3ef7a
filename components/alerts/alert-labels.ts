import type { SilenceMatcher } from '@/server/contract/console/alerts/alert-row';
import type { AlertKind, AlertRules } from '@/server/contract/console/alerts/alert-rules';
import { ALERT_LABELS } from '@/server/core/alerts/alert-sentence';
import { boundText } from '@/server/core/format/durations';
import { exactCount } from '@/server/core/format/numbers';

/** A rule of a namespace: the field that sets it, and what it compares. */
export interface RuleField {
  field: keyof AlertRules;
  label: string;
  unit: 'ms' | 'count';
  /** The least that it may be, in ms; 0 where absent. */
  min?: number;
}

export const RULE_FIELDS: RuleField[] = [
  { field: 'stuckForMs', label: 'Stuck for', unit: 'ms' },
  { field: 'orphanedForMs', label: 'Orphaned for', unit: 'ms' },
  { field: 'expiredForMs', label: 'Expired for', unit: 'ms' },
  { field: 'waitsOverMs', label: 'Wait longer than', unit: 'ms', min: 1_000 },
  { field: 'blockingOverMs', label: 'Total blocking time over', unit: 'ms', min: 1_000 },
  { field: 'counterWithin', label: 'Counter within … of a limit', unit: 'count' },
  { field: 'backendUnknownForMs', label: 'Backend unknown for', unit: 'ms' },
];

/** The rules that are on, in a line. */
export function rulesText(rules: AlertRules): string {
  const on = RULE_FIELDS.flatMap(({ field, label, unit }) => {
    const value = rules[field];
    if (value === null) return [];
    if (unit === 'count') return [label.replace('…', exactCount(value)).toLowerCase()];
    const bare = label.replace(/ for$/, '').toLowerCase();
    return [value === 0 ? bare : `${label.toLowerCase()} ${boundText(value)}`];
  });
  return on.length === 0 ? 'all off' : on.join(', ');
}

export const kindLabel = (kind: AlertKind): string => ALERT_LABELS[kind];

/** What a silence matches: `Stuck, in shop, named job*`. */
export function matcherText({ namespace, kind, name }: SilenceMatcher): string {
  const parts = [
    kind ? kindLabel(kind) : 'All alerts',
    ...(namespace ? [`in ${namespace}`] : []),
    ...(name ? [`named ${name}`] : []),
  ];
  return parts.join(' ');
}

/**
 * The namespaces that a silence may be of: those that are known, and always that of the alert, or
 * the silence would be of all.
 */
export const silenceNamespaces = (known: readonly string[], own: string | undefined): string[] =>
  own === undefined || known.includes(own) ? [...known] : [...known, own];
