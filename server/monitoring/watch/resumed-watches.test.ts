import { setImmediate, setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { WatchAnswer } from '../../contract/lock/watch';
import { TimeSlice } from '../lock-list/order/time-slice';
import { KnownStores } from '../projection/known-stores';
import type { MonitoredBackend } from '../projection/monitored-backend';
import { type ProjectionRow, rowId } from '../projection/projection-row';
import { TableRig } from '../testing/table-rig';
import { LockWatches } from './lock-watches';
import { WatchJournals } from './watch-journals';
import { readPosition } from './watch-position';
import { WatchReader } from './watch-reader';
import { watchTarget } from './watch-target';

/** Three pages. */
const LOCKS = 1_200;

const TARGET = watchTarget('default', 'orders', {
  namespace: 'default',
  names: undefined,
  prefix: 'l',
});

const nameOf = (i: number) => `l${String(i).padStart(4, '0')}`;

let rig: TableRig;
let stop: AbortController;
let processes: Process[];
/** By how much the clock of the backend was set back. */
let setBackMs: number;
/** When the backend grants again after a restore; 0: it grants. */
let grantsFrom: number;
/** How often a process has checked the health of its backend. */
let healthChecks: number;

beforeEach(() => {
  setBackMs = 0;
  grantsFrom = 0;
  healthChecks = 0;
  rig = new TableRig();
  stop = new AbortController();
  processes = [];
});
afterEach(async () => {
  stop.abort();
  await Promise.all(processes.map(({ watches }) => watches.close()));
});

interface Process {
  watches: LockWatches;
  journals: WatchJournals;
  readAt: Map<string, number>;
}

/**
 * A process that reads the one store at the instants at which the clock is moved.
 *
 * @param clockLateMs by how much it underestimates its backend's clock
 * @param secondShard absent: its backend has no shards
 */
function startProcess(id: string, clockLateMs = 0, secondShard?: string): Process {
  const clock = { now: () => rig.now, monotonic: () => rig.now };
  const healthOf = (silent: string) => () => {
    healthChecks += 1;
    return {
      reachable: !rig.silent.has(silent),
      clockOffsetMs: -clockLateMs - setBackMs,
      clockSpreadMs: clockLateMs,
    };
  };
  const grantsFromOf = () => grantsFrom;
  const own = { id: 'default', engine: { health: healthOf(id) }, grantsFromOf };
  const shard = { backend: 'default' };
  const second = secondShard && { id: secondShard, engine: { health: healthOf(secondShard) } };
  const shards = second && [own, second].map((each) => ({ ...each, shard }));
  const backends = (shards ?? [own]) as unknown as MonitoredBackend[];
  const readAt = new Map(backends.map((backend) => [backend.id, rig.now]));
  const journals = new WatchJournals(
    backends,
    clock,
    new KnownStores(clock, (store) => readAt.get(store)),
  );
  const reader = new WatchReader(rig.table, backends, readAt, clock, journals);
  const slice = () =>
    new TimeSlice(
      () => 0,
      () => 0,
      () => setImmediate(),
    );
  const watches = new LockWatches(journals, reader, slice, clock, id, { warn: () => {} });
  const started = { watches, journals, readAt };
  processes.push(started);
  return started;
}

function pass(ms: number): void {
  rig.now += ms;
  for (const { readAt } of processes) for (const id of readAt.keys()) readAt.set(id, rig.now);
}

/** A lock changes, and every process reads it. */
function change(name: string): void {
  rig.store(name);
  const row = rig.truth.get(rowId('default', `default/${name}`)) as ProjectionRow;
  for (const { journals } of processes) journals.replaced(null, row);
}

function follow({ watches }: Process, since: string | null, target = TARGET, onWaiting = () => {}) {
  const from = since === null ? null : readPosition(since);
  const pace = { waitMs: 1, signal: stop.signal, onWaiting, isPolled: false };
  return watches.follow(target, from, pace);
}

async function answerOf(stream: AsyncGenerator<WatchAnswer, void>): Promise<WatchAnswer> {
  const { value } = await stream.next();
  if (!value) throw new Error('The watch has ended.');
  return value;
}

/** One request for changes. */
async function ask(at: Process, since: string | null, target = TARGET): Promise<WatchAnswer> {
  const stream = follow(at, since, target);
  const answer = await answerOf(stream);
  await stream.return();
  return answer;
}

const namesOf = ({ locks }: WatchAnswer) => locks.map(({ name }) => name);

it('a stream that resumes during the current states reports what changed before', async () => {
  const one = startProcess('p1');
  for (let i = 0; i < LOCKS; i += 1) change(nameOf(i));
  const first = await ask(one, null);
  expect(first.more).toBe(true);
  change(nameOf(3));
  const stream = follow(one, first.position);
  const sent: string[] = [];
  for (let i = 0; i < 4; i += 1) sent.push(...namesOf(await answerOf(stream)));
  expect(sent).toContain(nameOf(3));
  expect(sent).toContain(nameOf(LOCKS - 1));
});

it('a position that its process has not given restarts with current states', async () => {
  const one = startProcess('p1');
  change(nameOf(1));
  const { position } = await ask(one, null);
  const another = await ask(startProcess('p1'), null);
  for (const forged of [another.position, position.replace(/^p1\..{4}/, 'p1.zzzz')]) {
    expect(await ask(one, forged)).toMatchObject({ reset: true, locks: [{ name: nameOf(1) }] });
  }
  expect(await ask(one, position)).toMatchObject({ reset: false, locks: [] });
});

it('a position does not reveal how much changed elsewhere', async () => {
  const one = startProcess('p1');
  const numbers: string[] = [];
  let since: string | null = null;
  for (let asked = 0; asked < 20; asked += 1) {
    since = (await ask(one, since)).position;
    numbers.push(since.split('.')[1] ?? '');
    if (asked % 2 === 0) change('elsewhere');
  }
  // They differ whether or not there was a change.
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(new Set(numbers.map(({ length }) => length)).size).toBe(1);
});

it('the current states continue when processes answer in turn, and nothing is lost', async () => {
  const turns = [startProcess('p1'), startProcess('p2')];
  for (let i = 0; i < LOCKS; i += 1) change(nameOf(i));
  let answer: WatchAnswer | null = null;
  let sent: string[] = [];
  for (let asked = 0; asked < 8 && answer?.more !== false; asked += 1) {
    pass(1_000);
    answer = await ask(turns[asked % 2] as Process, answer?.position ?? null);
    if (answer.reset) sent = [];
    sent.push(...namesOf(answer));
    if (namesOf(answer).includes(nameOf(600))) change(nameOf(3));
  }
  expect(answer?.more).toBe(false);
  expect(new Set(sent).size).toBe(LOCKS);
  pass(1_000);
  expect(namesOf(await ask(turns[0] as Process, answer?.position ?? null))).toContain(nameOf(3));
});

it('a part of many changes has a position before those not yet sent', async () => {
  const one = startProcess('p1');
  const stream = follow(one, null);
  await answerOf(stream);
  for (let i = 0; i < LOCKS; i += 1) change(nameOf(i));
  // Longer than a tick.
  await setTimeout(250);
  change('late');
  for (let i = 0; i < LOCKS; i += 1) change(nameOf(i));
  const part = await answerOf(stream);
  expect(part.more).toBe(true);
  const sent: string[] = [];
  for (let { position, more } = part; more; ) {
    const next = await ask(one, position);
    sent.push(...namesOf(next));
    ({ position, more } = next);
  }
  expect(sent).toContain('late');
});

it('a process that has not read as far as the previous one does not answer yet', async () => {
  const [one, two] = [startProcess('p1'), startProcess('p2')];
  change(nameOf(1));
  const { position } = await ask(one, null);
  rig.now += 500;
  change(nameOf(1));
  one.readAt.set('default', rig.now);
  const shown = await ask(one, position);
  expect(namesOf(shown)).toEqual([nameOf(1)]);

  const answer = ask(two, shown.position);
  two.watches.drain();
  expect(await answer).toEqual({
    locks: [],
    position: shown.position,
    reset: false,
    more: false,
  });
});

it('a process that has not read a shard as far does not answer while another is away', async () => {
  const [one, two] = [startProcess('p1', 0, 'away'), startProcess('p2', 0, 'away')] as const;
  rig.silent.add('away');
  rig.now += 5_000;
  one.readAt.set('default', rig.now);
  change(nameOf(1));
  const { position, locks } = await ask(one, null);
  expect(locks).toMatchObject([{ name: nameOf(1), state: 'held' }]);
  const answer = ask(two, position);
  two.watches.drain();
  expect(await answer).toMatchObject({ locks: [], position });
});

it('a watch that waits until its process has read as far does not count as work', async () => {
  const [one, two] = [startProcess('p1'), startProcess('p2')];
  const { position } = await ask(one, null);
  let isWaiting = false;
  const stream = follow(two, position, TARGET, () => {
    isWaiting = true;
  });
  const answer = answerOf(stream);
  expect(isWaiting).toBe(true);
  pass(2_000);
  await answer;
});

it('a thousand watches that wait until their process has read as far share its reads', async () => {
  const [one, two] = [startProcess('p1'), startProcess('p2')];
  const { position } = await ask(one, null);
  const answers = Array.from({ length: 1_000 }, () => ask(two, position));
  healthChecks = 0;
  // Longer than two ticks.
  await setTimeout(250);
  expect(healthChecks).toBeLessThan(100);
  pass(2_000);
  await Promise.all(answers);
});

it('a process waits for what another one showed by an imprecisely known clock', async () => {
  const [one, two] = [startProcess('p1', 3_000), startProcess('p2')];
  change(nameOf(1));
  const shown = await ask(one, null);
  rig.now += 1_500;
  two.readAt.set('default', rig.now - 1_600);
  let isAnswered = false;
  const answer = ask(two, shown.position).finally(() => {
    isAnswered = true;
  });
  await setTimeout(100);
  expect(isAnswered).toBe(false);
  two.readAt.set('default', rig.now);
  expect(namesOf(await answer)).toContain(nameOf(1));
});

it('a process whose backend is back waits until it has read as far, like any other', async () => {
  const [one, two] = [startProcess('p1'), startProcess('p2')];
  change(nameOf(1));
  const { position } = await ask(one, null);
  await ask(two, null);
  rig.silent.add('p2');
  // Longer than a tick.
  await setTimeout(250);
  rig.now += 3_000;
  change(nameOf(1));
  one.readAt.set('default', rig.now);
  const shown = await ask(one, position);
  two.readAt.set('default', rig.now - 2_900);
  rig.silent.delete('p2');
  let isAnswered = false;
  const answer = ask(two, shown.position).finally(() => {
    isAnswered = true;
  });
  await setTimeout(250);
  expect(isAnswered).toBe(false);
  pass(2_000);
  expect(namesOf(await answer)).toContain(nameOf(1));
});

it("a watch continues at another process even if its backend's clock was set back", async () => {
  const [one, two] = [startProcess('p1'), startProcess('p2')];
  change(nameOf(1));
  await ask(two, null);
  const shown = await ask(one, null);
  setBackMs = 3_600_000;
  change(nameOf(2));
  const answer = ask(two, shown.position);
  pass(2_000);
  expect(await answer).toMatchObject({ reset: true, more: false });
  expect(namesOf(await answer)).toEqual([nameOf(1), nameOf(2)]);
});

it('a process whose backend does not respond says so and does not wait', async () => {
  const [one, two] = [startProcess('p1'), startProcess('p2')];
  change(nameOf(1));
  const shown = await ask(one, null);
  rig.silent.add('p2');
  expect((await ask(two, shown.position)).position).not.toBe(shown.position);
});

it('a lock that was unknown at one process is answered by one that noticed no outage', async () => {
  const [one, two] = [startProcess('p1'), startProcess('p2')];
  change(nameOf(1));
  await ask(two, null);
  pass(5_000);
  rig.silent.add('p1');
  const shown = await ask(one, null);
  expect(shown.locks).toMatchObject([{ state: 'unknown' }]);
  pass(3_000);
  expect(await ask(two, shown.position)).toMatchObject({ reset: true, locks: [{ state: 'held' }] });
});

it('a lock that was never used is unknown during an outage, and free again after it', async () => {
  const one = startProcess('p1');
  const target = watchTarget('default', 'orders', { namespace: 'default', names: ['unused'] });
  const begun = await ask(one, null, target);
  expect(begun.locks).toMatchObject([{ state: 'free' }]);
  rig.silent.add('p1');
  // Longer than a tick, with no watch open.
  await setTimeout(250);
  const away = await ask(one, begun.position, target);
  expect(away.locks).toMatchObject([{ state: 'unknown' }]);
  rig.silent.delete('p1');
  await setTimeout(250);
  expect((await ask(one, away.position, target)).locks).toMatchObject([{ state: 'free' }]);
});

it('a lock shown as held at one process is free at another, which never saw it held', async () => {
  const [one, two] = [startProcess('p1'), startProcess('p2')];
  const target = watchTarget('default', 'orders', { namespace: 'default', names: ['brief'] });
  await ask(one, null, target);
  await ask(two, null, target);
  pass(5_000);
  rig.store('brief');
  const held = await ask(one, null, target);
  expect(held.locks).toMatchObject([{ state: 'held' }]);
  rig.store('brief', { heldMs: null });
  const freed = rig.truth.get(rowId('default', 'default/brief')) as ProjectionRow;
  two.journals.replaced(null, freed);
  pass(3_000);
  expect((await ask(two, held.position, target)).locks).toMatchObject([{ state: 'free' }]);
});

it('a watch that begins during an outage gets the states after it', async () => {
  const one = startProcess('p1');
  const target = watchTarget('default', 'orders', { namespace: 'default', names: ['unused'] });
  rig.silent.add('p1');
  const away = await ask(one, null, target);
  expect(away.locks).toMatchObject([{ state: 'unknown' }]);
  rig.silent.delete('p1');
  await setTimeout(250);
  expect((await ask(one, away.position, target)).locks).toMatchObject([{ state: 'free' }]);
});

it('a lock is unknown after an outage until its backend was read again', async () => {
  const one = startProcess('p1');
  const byName = watchTarget('default', 'orders', { namespace: 'default', names: ['l0001'] });
  change('l0001');
  const before = [await ask(one, null, byName), await ask(one, null)];
  rig.silent.add('p1');
  rig.now += 1_000;
  // Longer than a tick.
  await setTimeout(250);
  rig.silent.delete('p1');
  await setTimeout(250);
  const back = [
    await ask(one, before[0]?.position ?? '', byName),
    await ask(one, before[1]?.position ?? ''),
  ];
  pass(100);
  await setTimeout(250);
  const read = [
    await ask(one, back[0]?.position ?? '', byName),
    await ask(one, back[1]?.position ?? ''),
  ];
  expect(back.map(({ locks }) => locks)).toMatchObject([[{ state: 'unknown' }], []]);
  expect(read.map(({ locks }) => locks)).toMatchObject([
    [{ name: 'l0001', state: 'held' }],
    [{ name: 'l0001', state: 'held' }],
  ]);
});

const UNUSED = watchTarget('default', 'orders', { namespace: 'default', names: ['unused'] });

it('a lock never used is delayed while its backend grants nothing, then free', async () => {
  const one = startProcess('p1');
  grantsFrom = rig.now + 10_000;
  const stream = follow(one, null, UNUSED);
  expect((await answerOf(stream)).locks).toMatchObject([{ state: 'delayed' }]);
  pass(10_001);
  const next = async () => {
    for (;;) {
      const { locks } = await answerOf(stream);
      if (locks.length > 0) return locks;
    }
  };
  expect(await next()).toMatchObject([{ state: 'free' }]);
  grantsFrom = rig.now + 10_000;
  expect(await next()).toMatchObject([{ state: 'delayed' }]);
  await stream.return();
});

it('a watch that resumes after such a delay learns that it ended, at any process', async () => {
  const [one, two] = [startProcess('p1'), startProcess('p2')];
  grantsFrom = rig.now + 10_000;
  await ask(two, null, UNUSED);
  const delayed = await ask(one, null, UNUSED);
  expect(delayed.locks).toMatchObject([{ state: 'delayed' }]);
  pass(15_000);
  await setTimeout(250);
  for (const each of [one, two]) {
    const free = await ask(each, delayed.position, UNUSED);
    expect(free.locks).toMatchObject([{ state: 'free' }]);
    expect((await ask(each, free.position, UNUSED)).locks).toEqual([]);
  }
});
