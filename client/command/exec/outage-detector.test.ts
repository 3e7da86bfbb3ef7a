import { expect, test } from 'vitest';
import { TestClock } from '../../testing/test-clock';
import { GIVEN_UP } from '../../wire/send-request';
import { type OutageCause, OutageDetector } from './outage-detector';

/** A watch on a server with scripted answers: a status, or none. */
function watched(limitMs: number) {
  const clock = new TestClock();
  const notices: string[] = [];
  let answer: number | null = 200;
  const watch = new OutageDetector(
    clock,
    limitMs,
    {
      began: () => notices.push('began'),
      ended: () => notices.push('ended'),
      lasted: () => notices.push('lasted'),
    },
    async () => {
      if (answer === null) throw new TypeError('no route');
      return new Response(null, { status: answer });
    },
  );
  const ask = async (next: number | null) => {
    answer = next;
    await watch.fetch('http://127.0.0.1').catch(() => {});
  };
  return { clock, notices, ask };
}

test('an outage is reported once, and its end once', async () => {
  const { notices, ask } = watched(60_000);
  for (const answer of [200, null, null, 503, 429, 200, 504]) await ask(answer);
  expect(notices).toEqual(['began', 'ended', 'began']);
});

test('an outage is counted from the last answer, and reported when its time is over', async () => {
  const { clock, notices, ask } = watched(60_000);
  await ask(null);
  clock.advance(50_000);
  await ask(200);
  clock.advance(50_000);
  await ask(null);
  clock.advance(59_000);
  await ask(null);
  expect(notices).toEqual(['began', 'ended', 'began']);
  clock.advance(1_000);
  await ask(null);
  expect(notices.at(-1)).toBe('lasted');
});

test('a request that is not answered in time is an outage, an abandoned one is not', async () => {
  const notices: string[] = [];
  const began = () => notices.push('began');
  const watch = new OutageDetector(
    new TestClock(),
    60_000,
    { began, ended() {}, lasted() {} },
    async (_, init) => {
      throw init?.signal?.reason;
    },
  );
  for (const reason of [GIVEN_UP, undefined]) {
    await watch.fetch('http://127.0.0.1', { signal: AbortSignal.abort(reason) }).catch(() => {});
    expect(notices).toEqual(reason ? [] : ['began']);
  }
});

test('an outage has the reason that the server gives for it: a backend is down', async () => {
  const said: (string | null)[] = [];
  const note = ({ refusal }: OutageCause) => said.push(refusal);
  const listener = { began: note, ended() {}, lasted: note };
  const bodies = [
    { error: { message: 'Redis is full.', data: { reason: 'BACKEND_DOWN' } } },
    { error: { message: 'Internal error.', data: { reason: 'INTERNAL' } } },
  ];
  const watch = new OutageDetector(new TestClock(), 0, listener, async () =>
    Response.json(bodies.shift(), { status: 503 }),
  );
  const first = await watch.fetch('http://127.0.0.1');
  await watch.fetch('http://127.0.0.1');
  expect(said).toEqual(['Redis is full.', 'Redis is full.', null]);
  expect(await first.json()).toMatchObject({ error: { message: 'Redis is full.' } });
});

test('requests and their failures pass through unchanged', async () => {
  const failure = new TypeError('no route');
  const seen: unknown[] = [];
  const silence = { began() {}, ended() {}, lasted() {} };
  const watch = new OutageDetector(new TestClock(), 1, silence, async (...request) => {
    seen.push(request);
    throw failure;
  });
  const init = { method: 'POST' };
  await expect(watch.fetch('http://127.0.0.1', init)).rejects.toBe(failure);
  expect(seen).toEqual([['http://127.0.0.1', init]]);
});

test('an outage has its reason, also for a port that fetch refuses', async () => {
  const reasons: string[] = [];
  const began = ({ why }: OutageCause) => reasons.push(why);
  const watch = new OutageDetector(new TestClock(), 1, { began, ended() {}, lasted() {} });
  await expect(watch.fetch('http://127.0.0.1:6000')).rejects.toThrow();
  expect(reasons).toEqual([' (bad port)']);
});
