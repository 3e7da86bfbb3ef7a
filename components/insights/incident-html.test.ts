import { expect, test } from 'vitest';
import type { IncidentDetail } from '@/server/contract/console/past/incident';
import { incidentHtml } from './incident-html';

const HOSTILE =
  '</title><script src="https://evil.example/x.js"></script>' +
  '<img src=x onerror=alert(1)>\'"&\u202e';

const BEGAN = Date.UTC(2026, 10, 20, 2, 23);

function detail(text: string): IncidentDetail {
  const whole = detailAlone(text);
  return { ...whole, related: [{ relation: 'effect', incident: whole.incident }] };
}

function detailAlone(text: string): IncidentDetail {
  const party = { service: text, owner: text };
  const span = { from: BEGAN - 60_000, to: BEGAN + 240_000 };
  return {
    incident: {
      id: 1,
      backend: 'default',
      namespace: 'default',
      name: text,
      status: 'stuck',
      beganAt: BEGAN,
      clearedAt: BEGAN + 120_000,
      endedAt: BEGAN + 120_000,
      readAt: BEGAN + 150_000,
      waiterMs: 240_000,
      waitersMax: 2,
      blockingMaxMs: 200_000,
      actors: [text],
      facts: {
        stuck: { kind: 'longHold', since: BEGAN, limitMs: 30_000, p99Ms: 6_000 },
        hold: { ...party, token: 7, grantedAt: BEGAN - 30_000, host: text, pid: text },
        deaths: [{ token: 7, at: BEGAN, since: BEGAN - 5_000, witness: text, evidence: text }],
      },
    },
    timeline: {
      ...span,
      since: span.from,
      holds: [
        { ...party, from: BEGAN - 30_000, to: BEGAN + 120_000, token: 7, end: 'forced', count: 1 },
      ],
      waits: [
        { ...party, from: BEGAN, to: BEGAN + 120_000, end: 'granted' },
        { ...party, owner: `${text}2`, from: BEGAN, to: null, end: null },
      ],
      refused: [{ from: BEGAN, to: BEGAN + 50_000, attempts: 4, owners: [text], areMore: true }],
      deaths: [],
      moreWaits: 0,
      acts: [{ at: BEGAN + 120_000, kind: 'forced', by: text, reason: text }],
      asOf: BEGAN + 200_000,
    },
    related: [],
    events: [
      {
        id: '1.1.1',
        at: BEGAN + 120_000,
        rev: 1,
        kind: 'forced',
        ...party,
        token: 7,
        waitedMs: null,
        heldMs: 150_000,
        expiresAt: null,
        permits: null,
        capacity: null,
        by: text,
        reason: text,
      },
    ],
    moreEvents: 0,
    asOf: BEGAN + 200_000,
  };
}

test('an exported incident says how many of its events it lacks', () => {
  const whole = detail('invoice');
  const html = incidentHtml({ ...whole, moreEvents: 1_234 }, 'https://locks.example/insights/1');
  expect(html.replaceAll('\u00a0', ' ')).toContain('Not listed: 1,234 later events.</p>');
  expect(incidentHtml(whole, 'https://locks.example/insights/1')).not.toContain('Not listed');
});

test('an exported incident makes no request and runs no script; its policy forbids both', () => {
  const html = incidentHtml(detail('invoice'), 'https://locks.example/insights/1');
  expect(html).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
  expect(html).not.toMatch(/<(script|link|img|iframe|object|embed|base|form|a)\b/i);
  expect(html).not.toMatch(/\b(src|href|srcset|action|on\w+)\s*=/i);
  expect(html).not.toMatch(/url\(|@import/i);
  expect(html).toContain('2026-11-20T02:23:00.000Z');
  expect(html).toContain(
    'Holder exited</dt><dd>2026-11-20T02:22:55.000Z (invoice, reported by invoice)',
  );
});

test('no text of a caller or an operator becomes markup in it', () => {
  const plain = incidentHtml(detail('x'), 'x');
  const hostile = incidentHtml(detail(HOSTILE), HOSTILE);
  const tags = (html: string) =>
    html.match(/<[a-z/!][^>]*>/gi)?.map((tag) => tag.split(/[\s>]/)[0]);
  expect(tags(hostile)).toEqual(tags(plain));
  expect(hostile).not.toContain('<script');
  expect(hostile).not.toContain('<img');
  expect(hostile).not.toContain('\u202e');
});

test('an export gives the bounds of its timeline, whose process exited, and what it omits', () => {
  const whole = detail('invoice');
  const death = { token: 7, at: BEGAN, since: BEGAN - 5_000, witness: 'w', evidence: 'e' };
  const early = { ...death, since: whole.timeline.from - 1 };
  const timeline = { ...whole.timeline, deaths: [early, death], moreWaits: 7 };
  const html = incidentHtml({ ...whole, timeline }, 'https://locks.example/insights/1');
  for (const at of [timeline.from, timeline.to]) {
    expect(html).toContain(`>${new Date(at).toISOString()}</text>`);
  }
  expect(html).toContain(', 02:22:30 – 02:25:00, ');
  expect(html.match(/>process exited<\/text>/g)).toHaveLength(1);
  expect(html).toContain('Of 9 waits, only the 2 longest are drawn.');
});

test('names of any script and durations are in an export as on the page of the incident', () => {
  const html = incidentHtml(detail('\u05e9\u05dc\u05d5\u05dd'), 'https://locks.example/insights/1');
  expect(html).not.toMatch(/\[U\+\w+\]/);
  expect(html.replaceAll('\u00a0', ' ')).toContain('<dd>3 m 20 s (');
});
