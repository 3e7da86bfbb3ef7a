import { afterEach, beforeEach } from 'vitest';
import { LockyardClient } from '../lockyard-client';
import type { Granted } from '../wire/wire';
import { ScriptedServer } from './scripted-server';
import { TestClock, until } from './test-clock';

/** A client with a test clock and a scripted server, all new for every test of the file. */
export interface ScriptedBench {
  server: ScriptedServer;
  clock: TestClock;
  client: LockyardClient;
  url: string;
}

export function scriptedBench(): ScriptedBench {
  const bench = {} as ScriptedBench;
  beforeEach(async () => {
    const server = new ScriptedServer();
    const url = await server.open();
    const clock = new TestClock();
    let ids = 0;
    const chance = { fraction: () => 0, id: () => `id-${++ids}` };
    const client = new LockyardClient({ url, apiKey: 'secret-key', owner: 'me', clock, chance });
    Object.assign(bench, { server, clock, client, url });
  });
  afterEach(() => bench.server.close());
  return bench;
}

/** A grant with a lease of 30 s, except for the given fields. */
export function granted(facts: Partial<Granted> = {}): Granted {
  return {
    outcome: 'granted',
    token: 41,
    rev: 7,
    holdCount: 1,
    expiresAt: 1_700_000_030_000,
    expiresInMs: 30_000,
    waitedMs: 0,
    ...facts,
  };
}

/** Work that ends when the test says so, or with its signal's reason if it heeds the signal. */
export function heldWork() {
  let finish = (_: string) => {};
  let fail = (_: Error) => {};
  const done = new Promise<string>((resolve, reject) => {
    finish = resolve;
    fail = reject;
  });
  let signal: AbortSignal | undefined;
  let remainingMs = () => -1;
  return {
    run(hold: { signal: AbortSignal; remainingMs: () => number }) {
      signal = hold.signal;
      remainingMs = hold.remainingMs;
      return done;
    },
    started: () => until(() => signal !== undefined),
    get hasStarted() {
      return signal !== undefined;
    },
    get isAborted() {
      return signal?.aborted ?? false;
    },
    get reason(): unknown {
      return signal?.reason;
    },
    remainingMs: () => remainingMs(),
    finish,
    fail,
  };
}

/** A promise's result or error, so that a rejection is never unhandled meanwhile. */
export function outcomeOf<T>(promise: Promise<T>): Promise<T | Error> {
  return promise.catch((error: Error) => error);
}
