import { expect, it } from 'vitest';
import { lockName } from '../../../contract/primitives';
import type { RecordKey } from '../../record-store';
import { counterEventOf, created, eventOf } from '../testing/changes';
import { contract } from './contract-suite';

const NAMES = [
  'job',
  'JOB',
  'Job',
  'job ',
  ' job',
  'job\t',
  'jób',
  'jo\u0301b',
  'jôb',
  'ＪＯＢ',
  'straße',
  'strasse',
  'ı',
  'i',
  '\u{1f512}',
  '\u{1f513}',
  '\uffff',
  '\u{10000}',
  '\u{10ffff}',
  '\ue000',
  "o'brien",
  "o''brien",
  '"job"',
  '`job`',
  'job\\',
  'job\\\\',
  "\\'",
  'job%',
  'job_',
  'job\n',
  'job\r\n',
  '\u0001',
  '\u001a',
  '\u2028',
  '\u00a0',
  'job\u200b',
  '\u202ejob',
  '?',
  '??',
  ':name',
  'a/b',
  '/',
  '//',
  '/a',
  '..',
  '{a}',
  'a;DROP TABLE locks',
  "'; --",
  '/* */',
  'null',
  '0',
  '1e3',
  'x'.repeat(200),
  'X'.repeat(200),
  '\u{1f512}'.repeat(50),
];

it('the names used by the contract tests are valid', () => {
  for (const each of NAMES) expect(lockName.safeParse(each).success, each).toBe(true);
  expect(new Set(NAMES).size).toBe(NAMES.length);
});

contract('names', (suite) => {
  const keysIn = (namespace: string): RecordKey[] =>
    NAMES.map((each) => ({ namespace, name: each }));

  it('are compared byte by byte: each is a record of its own', async () => {
    const keys = keysIn('exact');
    for (const [i, key] of keys.entries()) await created(suite.store, key, { head: `head ${i}` });
    const { records } = await suite.store.read(keys, []);
    expect(records.map(({ record }) => record?.head)).toEqual(keys.map((_, i) => `head ${i}`));
    expect(records.map(({ key }) => key)).toEqual(keys);
  });

  it('are returned unchanged, from a scan and from the history', async () => {
    const keys = keysIn('back');
    for (const key of keys) {
      const event = { kind: 'queued', at: 1, rev: 1, service: 's', owner: key.name } as const;
      await created(suite.store, key, { events: [event] });
    }
    const inBytes = [...keys].sort((a, b) =>
      Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)),
    );
    const page = await suite.store.scan({ namespace: 'back', after: null }, 1_000);
    expect(page.records.map(({ key }) => key)).toEqual(inBytes);

    const rows = await suite.store.historyAfter(0, 1_000);
    const listed = rows.flatMap(({ changes }) =>
      changes.map(({ key, events: [event] }) => [key, event && 'owner' in event && event.owner]),
    );
    expect(listed).toEqual(keys.map((key) => [key, key.name]));
  });

  it('distinguish a lock from a counter of the same name in every read', async () => {
    const names = ['stock', '#stock', '/stock', 'a#b/c', '/', '#'];
    const keys = names.flatMap((name): RecordKey[] => [
      { namespace: 'kinds', name },
      { namespace: 'kinds', name, kind: 'counter' },
    ]);
    for (const [i, key] of keys.entries()) {
      const event = key.kind === 'counter' ? counterEventOf(1) : eventOf(1, `${i}`);
      await created(suite.store, key, { head: `head ${i}`, events: [event] });
    }
    const { records } = await suite.store.read(keys, []);
    expect(records.map(({ key, record }) => [key, record?.head])).toEqual(
      keys.map((key, i) => [key, `head ${i}`]),
    );
    const scanned = await suite.store.scan({ namespace: null, after: null }, 10_000);
    const met = scanned.records.filter(({ key }) => key.namespace === 'kinds');
    expect(met.map(({ key }) => key)).toEqual(expect.arrayContaining(keys));
    expect(met).toHaveLength(keys.length);
    const locks = await suite.store.scan({ namespace: 'kinds', after: null }, 10_000);
    expect(locks.records.every(({ key }) => key.kind === undefined)).toBe(true);
    const rows = await suite.store.historyAfter(0, 10_000);
    const listed = rows.flatMap(({ changes }) => changes.map(({ key }) => key));
    expect(listed.filter(({ namespace }) => namespace === 'kinds')).toEqual(keys);
  });

  it('of one namespace never appear in another one', async () => {
    const namespaces = ['team', 'team-a', 'team.a', 'team0', 'tea', 'teams', 'team_'];
    for (const namespace of namespaces) await created(suite.store, { namespace, name: 'a/b' });
    for (const namespace of namespaces) {
      const page = await suite.store.scan({ namespace, after: null }, 100);
      expect(page.records.map(({ key }) => key)).toEqual([{ namespace, name: 'a/b' }]);
    }
  });
});
