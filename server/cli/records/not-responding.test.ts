import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiHarness } from '@/test/api-harness';
import { runCliCommand } from '../run-cli-command';
import { parseArguments } from '../testing/parse-arguments';
import { missingNotes, notResponding, silenceNotes } from './not-responding';

let api: ApiHarness;
beforeAll(async () => {
  // A port that no server listens on.
  api = await ApiHarness.start({ LOCKYARD_BACKEND_AWAY: 'redis://127.0.0.1:1' });
  for (const name of ['left', 'left-too']) await api.namespace(name, 'away');
});
afterAll(() => api.close());

test.each(['locks', 'counters'])('%s that cannot be read are not left out unsaid', async (noun) => {
  const list = async (...words: string[]) =>
    runCliCommand(api.runtime, await parseArguments([noun, 'list', ...words]));
  expect(await list()).toEqual({
    print: null,
    note: expect.stringMatching(
      new RegExp(String.raw`^No ${noun} found\.\naway has not responded for [\d.]+ m?s\.$`),
    ),
  });
  const { print, note } = await list('--json');
  expect(note).toBeNull();
  expect(JSON.parse(print ?? '')).toEqual({
    [noun]: [],
    matching: 0,
    notResponding: [{ backend: 'away', silentForMs: expect.any(Number) }],
    notConfigured: [],
  });
});

test.each(['locks', 'counters'])('nor are %s of a backend that is not configured', async (noun) => {
  const elsewhere = { ...api.runtime, engines: new Map(api.runtime.engines) };
  elsewhere.engines.delete('away');
  const list = async (...words: string[]) =>
    runCliCommand(elsewhere, await parseArguments([noun, 'list', ...words]));
  expect((await list()).note?.split('\n')).toContain(
    'Not listed: 2 namespaces (left, left-too) on backend "away", not configured on this server.',
  );
  expect(JSON.parse((await list('--json')).print ?? '')).toMatchObject({
    notConfigured: [{ backend: 'away', namespaces: ['left', 'left-too'] }],
  });
});

test('of many namespaces that are not listed, the line names the first ten', () => {
  const namespaces = Array.from({ length: 300 }, (_, at) => `n${at}`);
  expect(missingNotes([{ backend: 'away', namespaces }])).toEqual([
    'Not listed: 300 namespaces (n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, …) on backend "away", ' +
      'not configured on this server.',
  ]);
});

test('a backend, or a shard, that rejects requests is listed with the reason', () => {
  const health = {
    kind: 'mysql',
    reachable: false,
    latencyMs: 1,
    silentForMs: 9,
    clockOffsetMs: 0,
  };
  const refusal = 'It is read-only.';
  const full = { ...health, id: 'cache', refusal };
  const shards = [
    { ...health, id: 'orders.a', name: 'db1/a', refusal },
    { ...health, id: 'orders.b', name: 'db2/b', reachable: true },
  ];
  const backends = [full, { ...health, id: 'orders', shards }];
  expect(silenceNotes(backends)).toEqual([
    'cache rejects requests. It is read-only.',
    'orders rejects requests. On db1/a: It is read-only.',
  ]);
  expect(notResponding(backends)).toEqual([
    { backend: 'cache', silentForMs: 9, refusal },
    { backend: 'orders', silentForMs: 9, refusal: 'On db1/a: It is read-only.' },
  ]);
});
