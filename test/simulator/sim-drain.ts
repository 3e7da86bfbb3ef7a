import { seeded } from '@/server/engine/testing/seeded';
import type { SimWorld } from './sim-world';
import { worldKind } from './world-kind';

const DRAINS = 0x31e19;
const SHARE = 0.2;

/** The longest time between the end of new calls and the end of the process. */
const DRAINING_MS = 1_500;

/**
 * From what a world draws which processes end in an orderly way, and when; null where none does.
 * Separate random numbers, so that the worlds of older seeds stay the same.
 */
export function drainRandom(seed: number): (() => number) | null {
  const kind = worldKind(seed);
  const isOne = kind === 'plain' || kind === 'sharded' || kind === 'permits';
  return isOne && seeded(seed ^ DRAINS)() < SHARE ? seeded(seed ^ DRAINS ^ 1) : null;
}

/** Ends one process as a shutdown does, while another one takes new calls. */
export function restartProcess(world: SimWorld, random: () => number): void {
  const process = world.anyProcess();
  if (!process?.engine) return;
  const { engine, owner } = process;
  const { scheduler } = world;
  process.isClosing = true;
  void world.join();
  scheduler.after(0, owner, () => {
    const drained = engine.drain().then(() => scheduler.pause(random() * DRAINING_MS));
    const closed = drained.then(() => scheduler.as(owner, () => engine.close()));
    void closed
      .catch(() => undefined)
      .then(() => {
        owner.isDead = true;
      });
  });
}
