import { expect, test } from 'vitest';
import type { AuditEntry } from '@/server/contract/console/audit-entry';
import { auditCsv, auditJsonLines } from './audit-export';

const entry: AuditEntry = {
  id: 7,
  at: Date.UTC(2026, 10, 20, 2, 48),
  actor: 'Ada',
  actorKind: 'user',
  address: '192.0.2.1',
  act: 'lock.forceRelease',
  namespace: 'default',
  subject: 'invoice',
  reason: 'it "hangs", again\nsince two',
  seen: { token: 7 },
  outcome: 'done',
  result: {},
  closedAt: null,
  requestId: 'r-1',
};

test('an exported entry has every field, quoted where it must be', () => {
  const [head, ...lines] = auditCsv([entry]).split('\r\n');
  expect(head).toBe(
    'id,at,actor,actorKind,address,act,namespace,subject,reason,outcome,closedAt,requestId,seen,result',
  );
  expect(lines.join('|')).toBe(
    '7,2026-11-20T02:48:00.000Z,"Ada","user","192.0.2.1","lock.forceRelease","default",' +
      '"invoice","it ""hangs"", again\nsince two","done",,"r-1","{""token"":7}","{}"|',
  );
});

test('no text becomes a formula in a spreadsheet', () => {
  const signs = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '  =cmd|x', '\r=1', '%0A=1', '|x'];
  for (const text of [...signs, '＝1+1', '＋1', '－1', '＠SUM(A1)']) {
    const [, line = ''] = auditCsv([{ ...entry, reason: text }]).split('2026-11-20');
    expect(line).toContain(`"'${text}"`);
  }
  expect(auditCsv([{ ...entry, reason: 'plain - text' }])).toContain('"plain - text"');
});

test('as JSON lines each entry is whole on a line of its own', () => {
  const lines = auditJsonLines([entry, { ...entry, id: 6 }])
    .trimEnd()
    .split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual([entry, { ...entry, id: 6 }]);
});
