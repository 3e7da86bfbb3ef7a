import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { counterAt } from '../../core/testing/counter-requests';
import { GATE_REPAIRED_WITHIN_MS, GATE_STEP_MAX_MS } from '../../core/timing';
import { GateWorld } from '../testing/gate-world';

type Move = (world: GateWorld) => void;
const who = fc.nat(2);
/** @param max the largest `which`: a process may have several steps under way */
const moveOf = (act: (world: GateWorld, process: number, which: number) => void, max = 0) =>
  fc.tuple(who, fc.nat(max)).map(
    ([process, which]): Move =>
      (world) =>
        act(world, process, which),
  );

const move = {
  ask: fc.tuple(who, fc.integer({ min: -4, max: 3 })).map(([process, delta]): Move => {
    return (world) => world.ask(process, delta);
  }),
  exchange: moveOf((world, process) => world.exchange(process)),
  confirm: moveOf((world, process) => world.confirm(process)),
  commit: moveOf((world, process, which) => world.commit(process, which), 5),
  settle: moveOf((world, process, which) => world.settle(process, which), 5),
  read: moveOf((world, process) => world.read(process)),
  sendReading: moveOf((world, process) => world.sendReading(process)),
  pass: fc.constantFrom(1, 50, 700, 2_500, GATE_STEP_MAX_MS).map((ms): Move => {
    return (world) => world.pass(ms);
  }),
  crash: moveOf((world, process) => world.crash(process)),
  wipe: fc.constant<Move>((world) => world.wipe()),
};
const lostExchange = fc.tuple(who, fc.constantFrom('lost' as const, 'replyLost' as const)).map(
  ([process, fate]): Move =>
    (world) =>
      world.exchange(process, fate),
);
/** One process gives something back, and another asks for it. */
const comesBack = moveOf((world, giver, taker) => {
  world.ask(giver, 1);
  world.exchange(giver);
  world.commit(giver, 0);
  world.settle(giver, 0);
  world.exchange(giver);
  world.ask(taker, -1);
  world.confirm(taker);
}, 2);
const usual = [
  { weight: 6, arbitrary: move.ask },
  { weight: 12, arbitrary: move.exchange },
  { weight: 6, arbitrary: move.confirm },
  { weight: 6, arbitrary: move.commit },
  { weight: 6, arbitrary: move.settle },
  { weight: 3, arbitrary: move.read },
  { weight: 3, arbitrary: move.sendReading },
  { weight: 3, arbitrary: move.pass },
  { weight: 1, arbitrary: move.crash },
];
const wipes = { weight: 1, arbitrary: move.wipe };

/** Past the instant at which a new gate begins to know anything, with a first reading. */
function startedWorld(value = 5): GateWorld {
  const world = new GateWorld(counterAt(value, { floor: 0, ceiling: value > 10 ? null : 10 }), 3);
  world.ask(0, -1);
  world.exchange(0);
  world.pass(GATE_STEP_MAX_MS);
  world.settle(0, 0);
  world.ask(0, -1);
  for (let i = 0; i < 2; i += 1) {
    world.exchange(0);
    world.read(0);
    world.sendReading(0);
  }
  return world;
}

describe('over random moves of three processes', () => {
  it('the estimate never exceeds what is left, despite crashes, wipes and late messages', () => {
    const moves = fc.array(fc.oneof(...usual, wipes), { minLength: 20, maxLength: 120 });
    const property = fc.property(fc.constantFrom(5, 5_000), moves, (value, all) => {
      const world = startedWorld(value);
      for (const each of all) {
        each(world);
        world.checkEstimate();
      }
    });
    fc.assert(property, { numRuns: 3_000 });
  });

  it('no refusal relies on a reading that is too old, whatever messages are lost', () => {
    let confirmed = 0;
    const lost = { weight: 3, arbitrary: lostExchange };
    const fill: Move = (world) => world.change({ value: 10 });
    const restock = { weight: 1, arbitrary: fc.constant(fill) };
    const rebound = fc.nat(4).map((floor): Move => {
      return (world) => world.change({ floor: Math.min(floor, world.truth.value) });
    });
    const bounds = { weight: 1, arbitrary: rebound };
    const back = { weight: 2, arbitrary: comesBack };
    const moves = fc.array(fc.oneof(...usual, wipes, lost, restock, bounds, back), {
      minLength: 20,
      maxLength: 120,
    });
    const property = fc.property(moves, (all) => {
      const world = startedWorld(0);
      for (const each of all) each(world);
      confirmed += world.confirmed;
    });
    fc.assert(property, { numRuns: 3_000 });
    expect(confirmed).toBeGreaterThan(1_000);
  });

  it('a gate that was wiped, or missed all messages, agrees with MySQL again in time', () => {
    const moves = fc.array(fc.oneof(...usual, wipes, { weight: 3, arbitrary: lostExchange }));
    const property = fc.property(moves, fc.integer({ min: 0, max: 10 }), (all, value) => {
      const world = startedWorld();
      for (const each of all) each(world);
      world.change({ value });
      // Only one process goes on, with steps that are refused or fail.
      for (let ms = 0; ms < GATE_REPAIRED_WITHIN_MS; ms += 500) {
        world.pass(500);
        world.ask(0, -11);
        world.exchange(0);
        world.read(0);
        world.sendReading(0);
        world.exchange(0);
        for (let n = 0; n < 200; n += 1) world.settle(0, 0);
      }
      const { state } = world.gate.peek('default#stock', world.now);
      expect(state?.value).toBe(value);
    });
    fc.assert(property, { numRuns: 1_000 });
  });
});
