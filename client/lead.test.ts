import { expect, test, vi } from 'vitest';
import { lead, type Term } from './lead';
import { granted, outcomeOf, scriptedBench } from './testing/scripted-bench';
import { until } from './testing/test-clock';

const bench = scriptedBench();

/** A candidate that logs its terms. */
function candidate(work: (term: Term) => unknown = () => {}) {
  const log: string[] = [];
  const terms: Term[] = [];
  const stop = new AbortController();
  const ended = outcomeOf(
    lead('cron', {
      client: bench.client,
      signal: stop.signal,
      meta: { zone: 'a' },
      onElected(term) {
        log.push(`elected ${term.token}`);
        terms.push(term);
        return work(term);
      },
      onLost: (why) => log.push(why ? why.loss.cause : 'ended'),
    }),
  );
  return { log, terms, stop, ended };
}

async function elect(token: number) {
  const call = await bench.server.next('lock.acquire');
  call.answer(granted({ token }));
  return call;
}

async function release() {
  (await bench.server.next('lock.release')).answer({ outcome: 'released' });
}

/** Its second term, after the first was ended by force, and its end. */
async function leadAgain({ log, stop, ended }: ReturnType<typeof candidate>) {
  await elect(42);
  await until(() => log.length === 3);
  stop.abort();
  await release();
  expect(await ended).toBe(undefined);
  expect(log).toEqual(['elected 41', 'forced', 'elected 42', 'ended']);
}

const forced = { outcome: 'lost', cause: 'forced', at: 5, by: 'Ana', reason: 'stuck' };

test('a leader that loses the lock is a candidate again, and leads again', async () => {
  const { server, clock } = bench;
  const leader = candidate();
  const first = await elect(41);
  expect(first.input).toMatchObject({
    name: 'cron',
    mode: 'exclusive',
    meta: { role: 'leader', zone: 'a' },
  });
  await until(() => leader.log.length === 1);
  clock.advance(10_000);
  (await server.next('lock.renew')).answer(forced);
  await leadAgain(leader);
  expect(clock.timerCount).toBe(0);
});

test('a term outlasts its callback, and ends before the next only when its work has', async () => {
  const { server, clock } = bench;
  let finish = () => {};
  const work = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const { log, terms, stop, ended } = candidate((term) => (term.token === 41 ? work : undefined));
  await elect(41);
  await until(() => log.length === 1);
  clock.advance(10_000);
  (await server.next('lock.renew')).answer(forced);
  await until(() => log.length === 2);
  expect(terms[0]?.signal.aborted).toBe(true);
  await new Promise(setImmediate);
  expect(server.waitingCalls).toBe(0);
  finish();
  await elect(42);
  await until(() => log.length === 3);
  clock.advance(10_000);
  const renewal = await server.next('lock.renew');
  renewal.answer({ outcome: 'renewed', rev: 8, expiresAt: 9, expiresInMs: 30_000 });
  stop.abort();
  await release();
  await ended;
  expect(log).toEqual(['elected 41', 'forced', 'elected 42', 'ended']);
});

test('a resigning leader releases the lock, and is a candidate again a second later', async () => {
  const { clock, server } = bench;
  const { log, terms, stop, ended } = candidate();
  await elect(41);
  await until(() => terms.length === 1);
  terms[0]?.resign();
  await release();
  await until(() => clock.nextDueMs === 1_000);
  clock.advance(1_000);
  await server.next('lock.acquire');
  stop.abort();
  (await server.next('lock.cancel')).answer({ outcome: 'cancelled' });
  expect(await ended).toBe(undefined);
  expect(log).toEqual(['elected 41', 'ended']);
});

test('no outage or refusal ends a candidature; each reason for one is reported once', async () => {
  const { clock, server } = bench;
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  const { log, stop, ended } = candidate();
  for (const [status, reason] of [
    [401, 'UNAUTHENTICATED'],
    [404, 'NOT_FOUND'],
    [404, 'NOT_FOUND'],
  ] as const) {
    (await server.next('lock.acquire')).refuse(status, reason);
    await until(() => clock.nextDueMs === 5_000);
    clock.advance(5_000);
  }
  const warnings = warn.mock.calls.map(([text]) => String(text));
  warn.mockRestore();
  expect(warnings).toEqual([
    'lead("cron") is refused, and keeps trying: UNAUTHENTICATED, refused: UNAUTHENTICATED',
    'lead("cron") is refused, and keeps trying: NOT_FOUND, refused: NOT_FOUND',
  ]);
  const call = await server.next('lock.acquire');
  clock.freeze(540_000);
  call.refuse(503, 'BACKEND_DOWN');
  await elect(41);
  await until(() => log.length === 1);
  stop.abort();
  await release();
  await ended;
  expect(log).toEqual(['elected 41', 'ended']);
});

test('an answer of a proxy ends a candidature only before Lockyard has answered', async () => {
  const { clock, server } = bench;
  for (const [status, reason] of [
    [302, 'INVALID'],
    [404, 'NOT_FOUND'],
  ] as const) {
    const misled = candidate();
    (await server.next('lock.acquire')).reply(status, 'Not here.');
    expect(await misled.ended).toMatchObject({ reason, isForeign: true });
  }

  const leader = candidate();
  await elect(41);
  await until(() => leader.log.length === 1);
  clock.advance(10_000);
  (await server.next('lock.renew')).answer(forced);
  (await server.next('lock.acquire')).reply(302, 'Back soon.');
  await until(() => clock.nextDueMs === 5_000);
  clock.advance(5_000);
  await leadAgain(leader);
});

test('an error of a callback ends it after the release; so does a permanent refusal', async () => {
  const { server } = bench;
  const bug = new Error('bug');
  const { log, ended } = candidate(() => Promise.reject(bug));
  await elect(41);
  await release();
  expect(await ended).toBe(bug);
  expect(log).toEqual(['elected 41', 'ended']);

  const invalid = candidate();
  (await server.next('lock.acquire')).refuse(400, 'INVALID');
  expect(await invalid.ended).toMatchObject({ reason: 'INVALID' });
  expect(invalid.log).toEqual([]);
});

test('a candidate without a callback, or with a limited wait, is refused at once', async () => {
  const { client, server } = bench;
  const wrong = (options: object) => outcomeOf(lead('cron', { client, ...options } as never));
  expect(String(await wrong({}))).toContain('onElected');
  expect(String(await wrong({ onElected: () => {}, onLost: 5 }))).toContain('onLost');
  expect(String(await wrong({ onElected: () => {}, waitMs: 5 }))).toContain('no option `waitMs`');
  expect(server.waitingCalls).toBe(0);
});
