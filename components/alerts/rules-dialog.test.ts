import { expect, test } from 'vitest';
import { alertRules } from '@/server/contract/console/alerts/alert-inputs';
import { DEFAULT_ALERT_RULES } from '@/server/contract/console/alerts/alert-rules';
import { parseRulesForm } from './rules-dialog';

test('the times of rules are read as those of a policy are, with their units', () => {
  const form = new FormData();
  form.set('stuckForMs', '90');
  form.set('orphanedForMs', ' 500ms ');
  form.set('expiredForMs', '0');
  form.set('waitsOverMs', '1.5 min');
  form.set('blockingOverMs', '2d');
  form.set('counterWithin', '20');
  form.set('backendUnknownForMs', ' ');
  expect(parseRulesForm(form)).toEqual({
    ...DEFAULT_ALERT_RULES,
    stuckForMs: 90_000,
    orphanedForMs: 500,
    expiredForMs: 0,
    waitsOverMs: 90_000,
    blockingOverMs: 172_800_000,
    counterWithin: 20,
    backendUnknownForMs: null,
  });
});

test('an entry that is not a duration does not turn a rule off', () => {
  const form = new FormData();
  form.set('stuckForMs', 'soon');
  const sent = JSON.parse(JSON.stringify(parseRulesForm(form)));
  expect(alertRules.safeParse(sent).success).toBe(false);
});
