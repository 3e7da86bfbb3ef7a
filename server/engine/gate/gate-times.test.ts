import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { CounterAddAnswer } from '../../contract/counter';
import { LockyardError } from '../../contract/errors';
import { estimatedValues } from '../../core/counter/counter-gate';
import { add, OPERATOR } from '../../core/testing/counter-requests';
import { requestOf } from '../../core/testing/lock-requests';
import { GATE_STEP_MAX_MS } from '../../core/timing';
import type { RecordKey } from '../../storage/record-store';
import type { GateStore } from '../../storage/redis-gate/gate-store';
import { ModelGate } from '../../storage/redis-gate/testing/model-gate';
import { CounterGate } from './counter-gate';

const KEY: RecordKey = { namespace: 'default', name: 'stock', kind: 'counter' };
const ID = 'default#stock';

/** Long enough for every exchange and read that no timer delays. */
const SOON_MS = 50;

/** An end that changes no refusal is sent within this time. */
const LATER_MS = 650;

/** Longer than an announcement counts as recent. */
const SLOW_MS = 1_500;

let gates: CounterGate[] = [];
beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  for (const gate of gates) gate.close();
  gates = [];
  vi.useRealTimers();
});

type SomeCommand = { verb: string; delta?: number; floor?: number };

/** One counter in MySQL, a process, and its gate that has read the counter. */
async function shopOf(value: number) {
  const truth = { rev: 1, value, floor: 0, ceiling: null };
  const model = new ModelGate();
  const startedAt = Date.now();
  const now = () => Date.now() - startedAt + 1;
  const store: GateStore = {
    exchange: async (messages, seen) => model.exchange('p1', messages, now(), seen),
    restart: async () => {},
    connect: async () => {},
    reconnect: () => {},
    close: () => {},
  };
  const decided = (delta: number): CounterAddAnswer => {
    truth.rev += 1;
    truth.value += delta;
    return { outcome: 'applied', rev: truth.rev, value: truth.value };
  };
  const decide = vi.fn(async (delta: number) => decided(delta));
  const read = vi.fn(async () => ({ ...truth }));
  const applied = async ({ verb, delta = 0, floor = 0 }: SomeCommand) => {
    if (verb !== 'setBounds') return decide(delta);
    Object.assign(truth, { rev: truth.rev + 1, floor });
    return { outcome: 'rebound', ...truth };
  };
  const gate = new CounterGate({
    id: 'cache',
    store,
    engine: {
      count: async (_: RecordKey, command: SomeCommand) =>
        command.verb === 'get' ? await read() : await applied(command),
    } as never,
    clock: { now, monotonic: now },
    log: { warn: () => {}, info: () => {} },
    lingerMs: 0,
  });
  gates.push(gate);
  const step = (delta: number): Promise<CounterAddAnswer> => gate.count(KEY, add(delta));
  void gate.look(KEY);
  await vi.advanceTimersByTimeAsync(GATE_STEP_MAX_MS);
  void step(-1);
  await vi.advanceTimersByTimeAsync(SOON_MS);
  const reading = () => model.peek(ID, now());
  /** How much is left at most, by the gate's estimate. */
  const estimate = () => {
    const { state, underWay } = reading();
    return state ? estimatedValues({ state, underWay }).low - (state.floor ?? 0) : 0;
  };
  return { gate, truth, decide, decided, read, step, estimate, reading };
}

/** A shop with a step that was applied, and whose answer was lost. */
async function shopWithLostAnswer() {
  const shop = await shopOf(11);
  shop.decide.mockImplementationOnce(async (delta) => {
    shop.decided(delta);
    throw new LockyardError('UNKNOWN', 'It may have been applied.');
  });
  const refused = expect(shop.step(-4)).rejects.toMatchObject({ reason: 'UNKNOWN' });
  await vi.advanceTimersByTimeAsync(SOON_MS);
  await refused;
  return shop;
}

async function expectNoHighEstimate({ truth, estimate }: Awaited<ReturnType<typeof shopOf>>) {
  for (let ms = 0; ms < 3 * GATE_STEP_MAX_MS; ms += 100) {
    await vi.advanceTimersByTimeAsync(100);
    expect(estimate(), `after ${ms} ms`).toBeLessThanOrEqual(truth.value - truth.floor);
  }
}

it('a step applied without an answer is in the estimate until it is read', async () => {
  await expectNoHighEstimate(await shopWithLostAnswer());
});

it('a step applied without an answer is in the estimate even if it cannot be read', async () => {
  const shop = await shopWithLostAnswer();
  shop.read.mockRejectedValue(new LockyardError('BACKEND_DOWN', 'Nothing was changed.'));
  await expectNoHighEstimate(shop);
});

it('a floor that was raised is in the estimate even if it cannot be read', async () => {
  const shop = await shopOf(11);
  shop.read.mockRejectedValue(new LockyardError('BACKEND_DOWN', 'Nothing was changed.'));
  const seenBounds = { floor: 0, ceiling: null };
  const bounds = { floor: 4, ceiling: null, seenBounds };
  const request = requestOf('setBounds');
  void shop.gate.count(KEY, { verb: 'setBounds', ...bounds, party: OPERATOR, request });
  await vi.advanceTimersByTimeAsync(SOON_MS);
  await expectNoHighEstimate(shop);
});

it('the end of a slow step is sent soon: its announcement may be too old by then', async () => {
  const { truth, decide, decided, step, reading } = await shopOf(1_000_000);
  void step(-1);
  await vi.advanceTimersByTimeAsync(LATER_MS + SOON_MS);
  expect(reading().state?.value).toBe(truth.value);
  decide.mockImplementationOnce(async (delta) => {
    await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
    return decided(delta);
  });
  void step(-1);
  await vi.advanceTimersByTimeAsync(SLOW_MS + SOON_MS);
  expect(truth.value).toBe(1_000_000 - 3);
  expect(reading().state?.value).toBe(truth.value);
});
