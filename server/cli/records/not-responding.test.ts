import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiHarness } from '@/test/api-harness';
import { runCliCommand } from '../run-cli-command';
import { parseArguments } from '../testing/parse-arguments';

let api: ApiHarness;
beforeAll(async () => {
  // A port that no server listens on.
  api = await ApiHarness.start({ LOCKYARD_BACKEND_AWAY: 'redis://127.0.0.1:1' });
});
afterAll(() => api.close());

test.each(['locks', 'counters'])('%s that cannot be read are not left out unsaid', async (noun) => {
  const list = async (...words: string[]) =>
    runCliCommand(api.runtime, await parseArguments([noun, 'list', ...words]));
  expect(await list()).toMatch(/^away has not responded for [\d.]+ m?s\.$/);
  expect(JSON.parse((await list('--json')) ?? '')).toEqual({
    [noun]: [],
    matching: 0,
    notResponding: [{ backend: 'away', silentForMs: expect.any(Number) }],
  });
});
