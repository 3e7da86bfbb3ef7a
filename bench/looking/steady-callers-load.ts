import { Agent, request } from 'node:http';
import type { SteadyOrder, SteadyReport } from './steady-callers';

const CALLERS = 64;
const LEASE_MS = 5_000;
const RENEW_EVERY_MS = 1_600;
const TURN_EVERY_MS = 250;
/** After this time, a call without an answer is given up, as clients do. */
const ANSWER_MAX_MS = 10_000;

/**
 * The callers whose locks must keep working, in a separate process. While the server does not
 * answer, calls stay due: the latency of a call counts from the time at which it should have been
 * sent.
 */
process.on('message', (order: SteadyOrder) => {
  drive(order).then(
    (report) => process.send?.(report),
    (error: unknown) => process.send?.({ error: String(error) } satisfies SteadyReport),
  );
});

interface Tally {
  latenciesMs: number[];
  leasesLost: number;
  refusals: Record<string, number>;
}

interface Answer {
  outcome: string;
  token?: number;
}

async function drive(order: SteadyOrder): Promise<SteadyReport> {
  const agent = new Agent({ keepAlive: true });
  const tally: Tally = { latenciesMs: [], leasesLost: 0, refusals: {} };
  const call = (procedure: string, input: object) => post(agent, order, procedure, input);
  const until = performance.now() + order.forMs;
  await Promise.all(
    Array.from({ length: CALLERS }, async (_, i) => {
      await Promise.all([keepOne(call, i, until, tally), takeTurns(call, i, until, tally)]);
    }),
  );
  agent.destroy();
  tally.latenciesMs.sort((a, b) => a - b);
  return {
    leasesLost: tally.leasesLost,
    acquires: tally.latenciesMs.length,
    p99Ms: tally.latenciesMs[Math.ceil(tally.latenciesMs.length * 0.99) - 1] ?? Number.NaN,
    refusals: tally.refusals,
  };
}

type Call = (procedure: string, input: object) => Promise<Answer>;

/** A lease is lost if the server says so, or if no renewal was answered before its end. */
async function keepOne(call: Call, i: number, until: number, tally: Tally): Promise<void> {
  const lock = { name: `kept-${i}`, owner: `caller-${i}` };
  let dueAt = performance.now() + (i / CALLERS) * RENEW_EVERY_MS;
  await pauseUntil(dueAt);
  let token: number | undefined;
  let sureUntil = 0;
  while (performance.now() < until) {
    const sentAt = performance.now();
    const isRenewal = token !== undefined;
    const answer = isRenewal
      ? await call('lock.renew', { ...lock, token, leaseMs: LEASE_MS })
      : await call('lock.acquire', { ...lock, leaseMs: LEASE_MS });
    const isKept = answer.outcome === 'renewed' || answer.outcome === 'granted';
    if (isRenewal && (answer.outcome === 'lost' || performance.now() > sureUntil)) {
      tally.leasesLost += 1;
      token = undefined;
    } else if (isKept) {
      token = answer.token ?? token;
      sureUntil = sentAt + LEASE_MS;
    } else count(tally, answer.outcome);
    dueAt = Math.max(dueAt + RENEW_EVERY_MS, performance.now());
    await pauseUntil(dueAt);
  }
  if (token !== undefined) await call('lock.release', { ...lock, token });
}

async function takeTurns(call: Call, i: number, until: number, tally: Tally): Promise<void> {
  const lock = { name: `turn-${i}`, owner: `caller-${i}` };
  let dueAt = performance.now() + (i / CALLERS) * TURN_EVERY_MS;
  for (; dueAt < until; dueAt += TURN_EVERY_MS) {
    await pauseUntil(dueAt);
    // Calls that were not even sent in time have taken at least this long.
    const isTooLate = performance.now() >= until;
    const answer = isTooLate ? null : await call('lock.acquire', { ...lock, leaseMs: LEASE_MS });
    tally.latenciesMs.push(performance.now() - dueAt);
    if (!answer) continue;
    if (answer.outcome === 'granted') {
      await call('lock.release', { ...lock, token: answer.token });
    } else count(tally, answer.outcome);
  }
}

function count({ refusals }: Tally, outcome: string): void {
  refusals[outcome] = (refusals[outcome] ?? 0) + 1;
}

function pauseUntil(instant: number): Promise<void> | undefined {
  const leftMs = instant - performance.now();
  return leftMs > 0 ? new Promise((resolve) => setTimeout(resolve, leftMs)) : undefined;
}

/** Never rejects: an error is an outcome too. */
function post(agent: Agent, { port, apiKey }: SteadyOrder, procedure: string, input: object) {
  const body = JSON.stringify(input);
  return new Promise<Answer>((resolve) => {
    const call = request(
      {
        agent,
        host: '127.0.0.1',
        port,
        path: `/api/v1/${procedure}`,
        method: 'POST',
        signal: AbortSignal.timeout(ANSWER_MAX_MS),
        headers: {
          Authorization: `Bearer ${apiKey}`,
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(body),
        },
      },
      (res) => {
        let text = '';
        res.setEncoding('utf8');
        res.on('data', (piece: string) => {
          text += piece;
        });
        res.on('error', () => resolve({ outcome: 'cut' }));
        res.on('end', () => resolve(answerIn(text)));
      },
    );
    call.on('error', ({ message }) => resolve({ outcome: message }));
    call.end(body);
  });
}

function answerIn(text: string): Answer {
  const { result, error } = JSON.parse(text);
  return result?.data ?? { outcome: error?.data.reason ?? 'nonsense' };
}
