import { expect, test } from 'vitest';
import type { SentAlert } from '../../../core/alerts/alert-message';
import { alertmanagerBody } from './alertmanager-body';

const FIRED_AT = Date.UTC(2026, 10, 27, 7, 24, 12);

function sentAt(now: number, part: Partial<SentAlert> = {}) {
  const sentence = 'Held for 2 m by one.';
  const firing = { since: FIRED_AT, firedAt: FIRED_AT, resolvedAt: null, announcedAt: FIRED_AT };
  const lock = { kind: 'stuck', backend: 'default', namespace: 'shop', name: 'job' } as const;
  const alert: SentAlert = { id: 1, position: 1, ...lock, ...firing, sentence, ...part };
  const [sent] = JSON.parse(alertmanagerBody([alert], { origin: 'http://h', now }));
  return sent;
}

const descriptionAt = (now: number, part?: Partial<SentAlert>): string =>
  sentAt(now, part).annotations.description;

test('an alert repeated to Alertmanager says from when its sentence is, as in Slack', () => {
  expect(descriptionAt(FIRED_AT + 3_000)).toBe('Held for 2 m by one.');
  const late = 'At 2026-11-27 07:24 UTC: Held for 2 m by one.';
  expect(descriptionAt(FIRED_AT + 60_000)).toBe(late);
  expect(descriptionAt(FIRED_AT + 3_000, { resolvedAt: FIRED_AT + 2_000 })).toBe(late);
  expect(descriptionAt(FIRED_AT + 60_000, { sentence: '' })).toBe('Stuck');
});

test('no alert starts after its end or ends later than now where the clock is set back', () => {
  const now = FIRED_AT - 3_600_000;
  const { startsAt, endsAt } = sentAt(now);
  expect(startsAt).toBe(new Date(now).toISOString());
  expect(Date.parse(endsAt)).toBeGreaterThan(now);
  // Alertmanager treats an alert with a later end as firing.
  expect(sentAt(now, { resolvedAt: FIRED_AT + 1_000 }).endsAt).toBe(new Date(now).toISOString());
  const ended = sentAt(FIRED_AT + 60_000, { resolvedAt: FIRED_AT + 1_000 });
  expect([ended.startsAt, ended.endsAt].map(Date.parse)).toEqual([FIRED_AT, FIRED_AT + 1_000]);
});
