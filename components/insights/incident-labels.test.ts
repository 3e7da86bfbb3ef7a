import { expect, test } from 'vitest';
import type { IncidentDetail, IncidentRow } from '@/server/contract/console/past/incident';
import { actorsLabel, incidentFacts, incidentFigures, incidentSentence } from './incident-labels';

const plain = (text: string) => text.replaceAll(/[\u202f\u00a0]/g, ' ');

const HOLD = { service: 'billing', owner: 'billing-7f9c', token: 7, grantedAt: 0, host: 'host-4' };

const incident: IncidentRow = {
  id: 1,
  backend: 'default',
  namespace: 'money',
  name: 'invoice',
  status: 'stuck',
  beganAt: 60_000,
  clearedAt: 120_000,
  endedAt: 120_000,
  readAt: 150_000,
  waiterMs: 120_400,
  waitersMax: 2,
  blockingMaxMs: 90_000,
  actors: [],
  facts: { stuck: { kind: 'longHold', since: 60_000, limitMs: 30_000, p99Ms: 6_000 }, hold: HOLD },
};

test('the cause names the holder, what is usual, and how many waited', () => {
  expect(plain(incidentSentence(incident))).toBe(
    'billing-7f9c on host-4 held the lock for 2 m 00 s (usually under 6.0 s), ' +
      'with up to 2 waiters.',
  );
});

test('the cause measures the hold to its end, even if its waiters were blocked for longer', () => {
  const facts = { ...incident.facts, hold: { ...HOLD, endedAt: 110_000 } };
  expect(plain(incidentSentence({ ...incident, facts }))).toContain('held the lock for 1 m 50 s');
});

test('the cause of an expiry says whether there were waiters', () => {
  const facts = { stuck: null, hold: HOLD };
  expect(incidentSentence({ ...incident, status: 'expired', waitersMax: 0, facts })).toBe(
    'The lease of billing-7f9c on host-4 expired without a release; no waiters.',
  );
});

test('figures are the length and the waiter-seconds', () => {
  expect(plain(incidentFigures(incident))).toBe('1 m 00 s, 120 waiter-seconds');
  expect(plain(incidentFigures({ ...incident, waiterMs: 0 }))).toBe('1 m 00 s');
  expect(plain(incidentFigures({ ...incident, waiterMs: 1_000 }))).toMatch(/, 1 waiter-second$/);
});

test('an incident that has just begun has no length yet', () => {
  const begun = { ...incident, endedAt: null, readAt: incident.beganAt, waiterMs: 0 };
  expect(incidentFigures(begun)).toBe('just begun');
  const detail = { incident: begun, timeline: { refused: [] } } as unknown as IncidentDetail;
  expect(incidentFacts(detail)).toContainEqual(['Lasted', 'just begun', '']);
});

test('a hostile name is shown with its invisible characters marked', () => {
  const hostile = { ...HOLD, owner: 'a\u202eb' };
  const facts = { stuck: null, hold: hostile };
  expect(incidentSentence({ ...incident, status: 'expired', facts })).not.toContain('\u202e');
  expect(actorsLabel({ actors: ['ada', 'x\u200by'] })).not.toContain('\u200b');
});
