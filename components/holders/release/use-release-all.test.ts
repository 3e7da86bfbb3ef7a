import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { afterEach, expect, it, vi } from 'vitest';
import type { HeldLock } from '@/server/contract/console/waits/holder-rows';
import { ConsoleClient } from '../../live/trpc';
import { resultText } from './release-plan';
import { releaseHold, useReleaseAll } from './use-release-all';

afterEach(() => vi.unstubAllGlobals());

const locks = ['a', 'b'].map((name) => ({ namespace: 'default', name, token: 7, rev: 3 }));

/** What the dialog runs. */
function runOf(): (reason: string) => Promise<void> {
  const runs: ((reason: string) => Promise<void>)[] = [];
  const Probe = () => {
    runs.push(useReleaseAll(locks as HeldLock[]).run);
    return null;
  };
  renderToString(createElement(ConsoleClient, null, createElement(Probe)));
  return runs[0] as (reason: string) => Promise<void>;
}

it('releases every hold without TLS too, where browsers have no randomUUID', async () => {
  const { crypto } = globalThis;
  vi.stubGlobal('crypto', {
    getRandomValues: (bytes: Uint8Array) => crypto.getRandomValues(bytes),
  });
  const sent: string[] = [];
  vi.stubGlobal('fetch', async (_: string, { body }: { body: string }) => {
    const calls = Object.values<{ name: string; token: number }>(JSON.parse(body));
    sent.push(...calls.map(({ name, token }) => `${name} ${token}`));
    return Response.json(calls.map(() => ({ result: { data: { outcome: 'forced' } } })));
  });
  await runOf()('the process is gone');
  expect(sent).toEqual(['a 7', 'b 7']);
});

it('a refused retry does not say “nothing was changed” if the first got no answer', async () => {
  const refusal = { data: { reason: 'BACKEND_DOWN' }, message: 'main is down.' };
  const failures = [new Error('Failed to fetch'), Object.assign(new Error(), refusal)];
  const result = await releaseHold(
    () => Promise.reject(failures.shift()),
    () => false,
  );
  expect(failures).toEqual([]);
  expect(resultText(result)).toBe('not confirmed: Server not responding.');
});

it('a release without an answer is not sent again once the dialog is closed', async () => {
  let sent = 0;
  const send = () => {
    sent += 1;
    return Promise.reject(new Error('Failed to fetch'));
  };
  const result = await releaseHold(send, () => true);
  expect(sent).toBe(1);
  expect(resultText(result)).toBe('not confirmed: Server not responding.');
});
