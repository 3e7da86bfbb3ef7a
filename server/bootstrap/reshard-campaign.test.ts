import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { parseShardList } from '@/db/urls/shard-list';
import { buildCommandLine, type CommandLine, type Ended } from '../backup/testing/command-line';
import { LockyardError } from '../contract/errors';
import { rendezvousHash } from '../core/rendezvous-hash';
import { addTo, createCommand, readCounter } from '../engine/testing/counter-calls';
import { type EngineOwner, pause } from '../engine/testing/engine-rig';
import { checkHistory, type RecordedCall } from '../engine/testing/history-checker';
import { RandomCaller } from '../engine/testing/random-caller';
import { newSeed, seeded } from '../engine/testing/seeded';
import type { Runtime } from '../operations/operation-context';
import { MysqlStore } from '../storage/mysql/mysql-store';
import { recordId } from '../storage/record-id';
import { BACKEND, engineIn, NAMESPACE, ShardRig } from './testing/shard-rig';

const ROUNDS = 12;

const DATABASES = [0, 1, 2, 3];
const PROCESSES = 3;
const CALLERS_EACH = 4;
const keyOf = (name: string) => ({ namespace: NAMESPACE, name });
const LOCKS = Array.from({ length: 12 }, (_, i) => keyOf(`lock-${i}`));
/** Counters to which callers add. */
const COUNTERS = Array.from({ length: 4 }, (_, i) => keyOf(`counter-${i}`));
/** Counters that only have to be moved, so that a move takes a while. */
const IDLE_COUNTERS = Array.from({ length: 1_000 }, (_, i) => keyOf(`idle-${i}`));

/** The message of a reshard that another one has overtaken, or had already done. */
const OVERTAKEN = /Another reshard|is served with this list already/;

const seed = Number(process.env.TEST_SEED ?? newSeed());

let rig: ShardRig;
let commandLine: CommandLine;
beforeEach(async () => {
  console.info(`seed ${seed}`);
  commandLine = await buildCommandLine();
  rig = await ShardRig.open(DATABASES.length);
});
afterEach(async () => {
  await rig?.close();
});

it('reshards killed at any time or run at once lose nothing and grant nothing twice', async () => {
  const random = seeded(seed);
  const pick = <T>(some: readonly T[]) => some[Math.floor(random() * some.length)] as T;
  let places = [0, 1];
  const processes: Process[] = [];
  while (processes.length < PROCESSES) processes.push(await Process.start(rig, places));
  await createCounters(processes[0] as Process);
  const load = new Load(processes, seeded(random() * 2 ** 31));
  const reshard = (to: number[], killAfterMs?: number) =>
    commandLine.run(['backends', 'reshard', BACKEND], {
      variables: rig.variables(listOf(rig, to)),
      ...(killAfterMs === undefined ? {} : { killAfterMs }),
    });
  let usualMs = 3_000;
  for (let round = 1; round <= ROUNDS; round += 1) {
    const why = `seed ${seed}, round ${round}`;
    const next = anotherChoice(places, random);
    for (let kills = Math.floor(random() * 4); kills > 0; kills -= 1) {
      // A server may be restarted with the new list before or between the tries.
      if (random() < 0.3) await pick(processes).restart(random() < 0.5 ? next : places);
      const killAfterMs = () => usualMs * (0.3 + random() * 0.8);
      const tries = [reshard(next, killAfterMs())];
      if (random() < 0.4) tries.push(reshard(pick([next, places]), killAfterMs()));
      for (const ended of await Promise.all(tries)) expectKilledOrOvertaken(ended, why);
    }
    if (random() < 0.5) {
      const [one, other] = [anotherChoice(next, random), next];
      const both = await Promise.all([reshard(one), reshard(other)]);
      for (const ended of both) expectDoneOrOvertaken(ended, why);
    }
    const since = performance.now();
    const { code, err } = await reshard(next);
    if (code !== 0) expect(err, why).toContain('is served with this list already');
    usualMs = performance.now() - since;
    places = next;
    await Promise.all(processes.map((process) => process.restart(places)));
    await Promise.all(processes.map((process) => process.isServed()));
    await load.isServed(why);
    await expectEachAtHome(places, why);
  }
  await load.end();
  const calls = load.calls;
  // A rising epoch skips tokens.
  expect(checkHistory(calls, { revertedGrants: () => Number.POSITIVE_INFINITY })).toEqual([]);
  const [process] = processes as [Process];
  for (const key of COUNTERS) {
    const { value } = (await readCounter(process, key)) as { value: number };
    expect(value, `seed ${seed}, ${key.name}`).toBe(load.addedTo(key.name));
  }
  for (const [i, key] of IDLE_COUNTERS.entries()) {
    expect(await readCounter(process, key), `seed ${seed}`).toMatchObject({ value: i });
  }
}, 900_000);

/** All databases are named, in use or leaving: an earlier reshard may have been interrupted. */
const listOf = (of: ShardRig, places: number[]) =>
  of.listOf(
    places,
    DATABASES.filter((place) => !places.includes(place)),
  );

/** Two or three databases other than these. */
function anotherChoice(places: number[], random: () => number): number[] {
  for (;;) {
    const some = DATABASES.filter(() => random() < 0.6);
    if (some.length >= 2 && some.length <= 3 && String(some) !== String(places)) return some;
  }
}

/** One process of several, which is restarted with other lists. */
class Process implements EngineOwner {
  private constructor(
    private readonly home: ShardRig,
    private runtime: Runtime,
  ) {}

  static async start(home: ShardRig, places: number[]): Promise<Process> {
    return new Process(home, await home.serve(listOf(home, places)));
  }

  get engine() {
    return engineIn(this.runtime);
  }

  /** Calls that are under way end as at a server that is stopped. */
  async restart(places: number[]): Promise<void> {
    const before = this.runtime;
    this.runtime = await this.home.serve(listOf(this.home, places));
    await this.home.stop(before);
  }

  isServed(): Promise<void> {
    return expect
      .poll(() => this.engine.health(), { timeout: 30_000 })
      .toMatchObject({ reachable: true });
  }
}

/** Callers that take locks and add to counters at all processes, until the end. */
class Load {
  readonly calls: RecordedCall[] = [];
  private readonly added = new Map<string, number>();
  private goesOn = true;
  private readonly work: Promise<unknown>;

  constructor(processes: Process[], random: () => number) {
    const callers = processes.flatMap((member, p) =>
      Array.from({ length: CALLERS_EACH }, (_, c) => {
        const owner = `w${p}-${c}`;
        const own = seeded(random() * 2 ** 31);
        const noted = new Set<RecordedCall>();
        const note = (call: RecordedCall) => {
          if (!noted.has(call)) this.calls.push(call);
          noted.add(call);
        };
        const locker = new RandomCaller({ member, owner, keys: LOCKS, random: own, note });
        return [locker.live(() => this.goesOn), this.add(member, owner, own)];
      }),
    );
    this.work = Promise.all(callers.flat());
    // Reported by `end`.
    this.work.catch(() => undefined);
  }

  /** How much was added, according to the answers. */
  addedTo = (name: string) => this.added.get(name) ?? 0;

  /** Waits until calls succeed again. */
  async isServed(why: string): Promise<void> {
    const begun = this.calls.length;
    const succeeded = () =>
      this.calls.slice(begun).some(({ verb, outcome }) => verb === 'acquire' && outcome === 'ok');
    await expect.poll(succeeded, { timeout: 30_000, message: why }).toBe(true);
  }

  async end(): Promise<void> {
    this.goesOn = false;
    await this.work;
  }

  /** Keeps adding one; repeats each step with its request id until it is applied. */
  private async add(member: Process, owner: string, random: () => number): Promise<void> {
    for (let step = 1; this.goesOn; step += 1) {
      const key = COUNTERS[Math.floor(random() * COUNTERS.length)] as (typeof COUNTERS)[number];
      while (!(await this.isAdded(member, key, `${owner} ${step}`))) await pause(100);
      this.added.set(key.name, this.addedTo(key.name) + 1);
      await pause(random() * 60);
    }
  }

  private async isAdded(member: Process, key: (typeof COUNTERS)[number], requestId: string) {
    try {
      expect(await addTo(member, key, 1, requestId)).toMatchObject({ outcome: 'applied' });
      return true;
    } catch (error) {
      if (error instanceof LockyardError) return false;
      throw error;
    }
  }
}

async function createCounters({ engine }: Process): Promise<void> {
  await Promise.all(COUNTERS.map((key) => engine.count(key, createCommand(0))));
  await Promise.all(IDLE_COUNTERS.map((key, i) => engine.count(key, createCommand(i))));
}

function expectKilledOrOvertaken(ended: Ended, why: string): void {
  if (ended.code !== null) expectDoneOrOvertaken(ended, why);
}

function expectDoneOrOvertaken({ code, err }: Ended, why: string): void {
  if (code !== 0) expect(err, why).toMatch(OVERTAKEN);
}

async function expectEachAtHome(places: number[], why: string): Promise<void> {
  const list = parseShardList(BACKEND, rig.listOf(places));
  if (typeof list === 'string') throw new Error(list);
  const homeOf = rendezvousHash(list.shards.map(({ name }) => name));
  let records = 0;
  for (const place of DATABASES) {
    for (const id of await idsAt(rig.urlOf(place))) {
      expect(list.shards[homeOf(id)]?.url, `${why}, ${id}`).toBe(rig.urlOf(place));
      records += 1;
    }
  }
  // Each is only on its home shard, so none exists twice.
  expect(records, why).toBeGreaterThanOrEqual(COUNTERS.length + IDLE_COUNTERS.length);
}

async function idsAt(url: string): Promise<string[]> {
  const store = new MysqlStore(url);
  // A busy machine may take longer to connect than a store waits.
  const scan = () => store.scan({ namespace: null, after: null }, 2_000);
  const { records } = await vi.waitFor(scan, { timeout: 60_000, interval: 100 });
  await store.close();
  return records.flatMap(({ key }) => (key.namespace === NAMESPACE ? [recordId(key)] : []));
}
