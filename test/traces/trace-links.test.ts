import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LockyardClient } from '@/client/lockyard';
import { type RunningServer, startServer } from '@/e2e/start-server';
import { makeAppReady } from '@/scripts/build/make-ready.mjs';
import { OwnJaeger, type StoredSpan } from './own-jaeger';

const root = resolve(import.meta.dirname, '../..');
const LOCKS = Array.from({ length: 10 }, (_, n) => `traced:${n}`);
const WAITING_PROGRAMS = 2;
const WAITS_FOR_EACH = 50;
const WAITS = LOCKS.length * WAITING_PROGRAMS * WAITS_FOR_EACH;
const SOON = { timeout: 120_000, interval: 200 };

let jaeger: OwnJaeger;
let server: RunningServer;
let apiKey: string;
const programs: ChildProcessWithoutNullStreams[] = [];
beforeAll(async () => {
  await makeAppReady(() => undefined);
  jaeger = await OwnJaeger.start();
  server = await startServer();
  const words = ['keys', 'create', '--name', 'traced', '--namespace', 'default'];
  const env = { ...process.env, LOCKYARD_DATA_DIR: server.dataDir };
  const cli = ['scripts/lockyard.mjs', ...words];
  apiKey = execFileSync(process.execPath, cli, { cwd: root, env, encoding: 'utf8' }).trim();
}, 1_800_000);
afterAll(async () => {
  for (const program of programs) program.kill('SIGKILL');
  await server?.discard();
  await jaeger?.stop();
});

/** See `traced-callers.ts`. */
function start(calls: number, until: 'at once' | 'input') {
  const program = join(import.meta.dirname, 'traced-callers.ts');
  const args = ['--import', 'tsx', program, String(calls), until, ...LOCKS];
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: {
      ...process.env,
      LOCKYARD_URL: server.url,
      LOCKYARD_API_KEY: apiKey,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: jaeger.receiver,
    },
  });
  programs.push(child);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  const ended = once(child, 'close').then(([code]) => ({ code, said }));
  return { child, ended };
}

const tagOf = (span: StoredSpan | undefined, key: string) =>
  span?.tags.find((tag) => tag.key === key)?.value;
const linksOf = ({ references }: StoredSpan) =>
  references.filter(({ refType }) => refType === 'FOLLOWS_FROM');

/** What a stored trace shows of one call for a lock. */
function callIn(spans: StoredSpan[]) {
  const named = (name: string) => spans.find(({ operationName }) => operationName === name);
  const [wait, hold] = [named('lockyard.wait'), named('lockyard.hold')];
  if (!wait || !hold) throw new Error(`a trace without a wait or a hold: ${JSON.stringify(spans)}`);
  const token = Number(tagOf(hold, 'lockyard.token'));
  return { lock: String(tagOf(wait, 'lockyard.lock')), token, links: linksOf(wait) };
}

test('1,000 of 1,000 waits link to the span of the hold awaited, as Jaeger stores it', async () => {
  const client = new LockyardClient({ url: server.url, apiKey });
  const inspected = () => Promise.all(LOCKS.map((name) => client.inspect({ name })));
  const first = start(1, 'input');
  await expect
    .poll(async () => (await inspected()).every((lock) => lock.state === 'held'), SOON)
    .toBe(true);
  const others = Array.from({ length: WAITING_PROGRAMS }, () => start(WAITS_FOR_EACH, 'at once'));
  const waiting = async () =>
    (await inspected()).reduce((sum, { waiters }) => sum + waiters.length, 0);
  await expect.poll(waiting, SOON).toBe(WAITS);
  first.child.stdin.write('\n');
  for (const { ended } of [first, ...others]) {
    expect(await ended).toEqual({ code: 0, said: '' });
  }

  const calls = LOCKS.length + WAITS;
  const stored = () => jaeger.tracesWith('traced-callers', 'lockyard.wait', 2 * calls);
  await expect.poll(async () => (await stored()).length, SOON).toBe(calls);
  const inOrder = (await stored()).map(callIn).sort((a, b) => a.token - b.token);
  let resolved = 0;
  for (const lock of LOCKS) {
    const turns = inOrder.filter((call) => call.lock === lock);
    for (const [turn, { token, links }] of turns.entries()) {
      const before = turns[turn - 1];
      // The first call of all did not wait.
      if (!before) {
        expect(links).toEqual([]);
        continue;
      }
      const [link] = links;
      expect(links, `of ${lock} ${token}`).toHaveLength(1);
      const trace = await jaeger.trace(link?.traceID ?? '');
      const target = trace?.find(({ spanID }) => spanID === link?.spanID);
      expect(target?.operationName).toBe('lockyard.lock');
      expect(callIn(trace ?? [])).toMatchObject({ lock, token: before.token });
      resolved++;
    }
  }
  expect(resolved).toBe(WAITS);
});
