import { expect, test } from 'vitest';
import { alertRules } from '@/server/contract/console/alerts/alert-inputs';
import { DEFAULT_ALERT_RULES } from '@/server/contract/console/alerts/alert-rules';
import { matcherText, RULE_FIELDS, silenceNamespaces } from './alert-labels';

test('what a silence matches reads as a list', () => {
  const all = { namespace: 'shop', kind: 'stuck', name: 'job*' } as const;
  expect(matcherText(all)).toBe('Stuck, in shop, named job*');
  expect(matcherText({ name: 'job*' })).toBe('All alerts, named job*');
});

test('a silence of an alert has its namespace even while the namespaces are not known', () => {
  expect(silenceNamespaces([], 'shop')).toEqual(['shop']);
  expect(silenceNamespaces(['billing', 'shop'], 'shop')).toEqual(['billing', 'shop']);
  expect(silenceNamespaces(['billing'], 'removed')).toEqual(['billing', 'removed']);
  expect(silenceNamespaces(['billing'], undefined)).toEqual(['billing']);
});

test('a field of the rules accepts exactly what the server accepts', () => {
  for (const { field, min, max } of RULE_FIELDS) {
    const takes = (value: number) =>
      alertRules.safeParse({ ...DEFAULT_ALERT_RULES, [field]: value }).success;
    expect(takes(min), field).toBe(true);
    expect(takes(min - 1), field).toBe(false);
    expect(takes(max), field).toBe(true);
    expect(takes(max + 1), field).toBe(false);
  }
});
