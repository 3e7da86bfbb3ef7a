import { createEngine } from '@/server/engine/create-engine';
import type { LockEngine } from '@/server/engine/lock-engine';
import { HistoryTail } from '@/server/observe/history-tail';
import { SimConnection } from './sim-connection';
import { BEGAN_AT } from './sim-database';
import { SimOwner } from './sim-scheduler';
import type { SimWorld } from './sim-world';

const TAIL_EVERY_MS = 150;

/** A server process: an engine on a connection of its own, and the tail that its console would follow. */
export class SimProcess {
  readonly owner = new SimOwner();
  /** Ids of the history that its tail delivered, as often as it did. */
  readonly tailed: number[] = [];
  engine: LockEngine | null = null;
  /** How wrong the clock of its machine is. */
  readonly wallClockOffMs: number;

  constructor(
    readonly world: SimWorld,
    readonly id: string,
  ) {
    this.wallClockOffMs = Math.round((world.random() - 0.5) * 4_000);
  }

  /** Starts it; resolves when it serves. */
  async start(): Promise<void> {
    const { world, owner, id } = this;
    const { scheduler, database, random, flaws } = world;
    const connection = new SimConnection(database, scheduler, owner, random, (call) =>
      world.fateOf(call),
    );
    const store = flaws.store?.(connection, this) ?? connection;
    const clock = {
      now: () => BEGAN_AT + scheduler.now + this.wallClockOffMs,
      monotonic: () => scheduler.now,
    };
    const engine = await scheduler.as(owner, () =>
      createEngine({
        backend: 'default',
        kind: 'simulated',
        store,
        epochOf: () => 1,
        clock,
        processId: id,
        newWriter: world.newText,
        policyOf: () => ({ queueLimit: 20, lockDelayMs: world.lockDelayMs }),
      }),
    );
    this.engine = flaws.engine?.(engine, this) ?? engine;
    const tail = flaws.tail?.(connection) ?? new HistoryTail(connection, clock, 0);
    scheduler.as(owner, () => {
      const poll = async () => {
        const rows = await tail.poll().catch(() => []);
        this.tailed.push(...rows.map(({ id: row }) => row));
        setTimeout(poll, TAIL_EVERY_MS);
      };
      setTimeout(poll, TAIL_EVERY_MS);
    });
  }
}
