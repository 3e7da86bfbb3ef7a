import type { SilenceMatcher } from '@/server/contract/console/alerts/alert-row';
import {
  ALERT_AFTER_MAX_MS,
  ALERT_BLOCKING_MAX_MS,
  ALERT_WITHIN_MAX,
  type AlertKind,
  type AlertRules,
} from '@/server/contract/console/alerts/alert-rules';
import { ALERT_LABELS } from '@/server/core/alerts/alert-sentence';
import { boundText } from '@/server/core/format/durations';
import { exactCount } from '@/server/core/format/numbers';

/** A rule of a namespace: the field that sets it, and what it compares. */
interface RuleField {
  field: keyof AlertRules;
  label: string;
  unit: 'ms' | 'count';
  /** The range of its values, in `unit`. */
  min: number;
  max: number;
}

const AFTER = { unit: 'ms', min: 0, max: ALERT_AFTER_MAX_MS } as const;
const BLOCKING = { unit: 'ms', min: 1_000, max: ALERT_BLOCKING_MAX_MS } as const;
const WITHIN = { unit: 'count', min: 0, max: ALERT_WITHIN_MAX } as const;

export const RULE_FIELDS: RuleField[] = [
  { field: 'stuckForMs', label: 'Stuck for', ...AFTER },
  { field: 'orphanedForMs', label: 'Orphaned for', ...AFTER },
  { field: 'expiredForMs', label: 'Expired for', ...AFTER },
  { field: 'waitsOverMs', label: 'Wait longer than', ...AFTER, min: 1_000 },
  { field: 'blockingOverMs', label: 'Total blocking time over', ...BLOCKING },
  { field: 'counterWithin', label: 'Counter within … of a limit', ...WITHIN },
  { field: 'backendUnknownForMs', label: 'Backend unknown for', ...AFTER },
];

/** The rules that are on, in one line. */
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
  return parts.join(', ');
}

/**
 * The namespaces that a silence may be for: those that are known, and always that of the alert:
 * without it the silence would be for all.
 */
export const silenceNamespaces = (known: readonly string[], own: string | undefined): string[] =>
  own === undefined || known.includes(own) ? [...known] : [...known, own];
