import type { SimWorld } from './sim-world';

/** The longest time between the end of new calls and the end of the process. */
const DRAINING_MS = 1_500;

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
