import { expect, test } from 'vitest';
import type { AlertMessage, SentAlert } from '../../../core/alerts/alert-message';
import { slackBody } from './slack-body';

const FIRED_AT = Date.UTC(2026, 10, 27, 7, 24, 12);

function textAt(at: number, part: Partial<SentAlert> = {}, count = 1): string {
  const sentence = 'The lease of one expired 5 s ago.';
  const firing = { since: FIRED_AT, firedAt: FIRED_AT, resolvedAt: null, announcedAt: FIRED_AT };
  const lock = { kind: 'expired', backend: 'default', namespace: 'shop', name: 'job' } as const;
  const alert = { id: 1, position: 1, ...lock, ...firing, sentence, ...part };
  const figures = { firing: count, began: count, resolved: 0 };
  const alerts = Array.from({ length: count }, () => alert);
  const groups = [{ namespace: 'shop', kind: 'expired', ...figures, alerts } as const];
  const message = { at, groups, ...figures, unlisted: 0 } as unknown as AlertMessage;
  return (JSON.parse(slackBody(message, 'http://h')) as { text: string }).text;
}

test('a sentence sent long after its alert fired begins with the time of firing', () => {
  expect(textAt(FIRED_AT + 3_000)).toContain('|job> The lease of one expired 5 s ago.\n');
  const late = '|job> At 2026-11-27 07:24 UTC: The lease of one expired 5 s ago.\n';
  expect(textAt(FIRED_AT + 23 * 60_000)).toContain(late);
  expect(textAt(FIRED_AT + 3_000, { resolvedAt: FIRED_AT + 2_000 })).toContain(late);
});

test('a text that is too long for Slack says how many alerts it leaves out, with a link', () => {
  const name = 'ü&'.repeat(66);
  const text = textAt(FIRED_AT + 3_000, { name }, 50);
  expect(text.length).toBeLessThanOrEqual(30_000);
  const lines = text.split('\n');
  const listed = lines.filter((line) => line.startsWith(':red_circle: <'));
  expect(listed.length).toBeGreaterThan(10);
  expect(lines.slice(-2)).toEqual([
    `${50 - listed.length} more are not listed.`,
    '<http://h/alerts|All alerts>',
  ]);
  expect(lines).toHaveLength(listed.length + 3);
});
