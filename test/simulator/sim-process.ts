import type { BackendLife } from '@/server/backends/backend-life';
import type { HistorySource, RecordStore } from '@/server/backends/record-store';
import { createEngine } from '@/server/engine/create-engine';
import type { LockEngine } from '@/server/engine/lock-engine';
import { OWN_NAMESPACE } from '@/server/engine/pulse';
import { HistoryTail } from '@/server/observe/history-tail';
import type { LossyMemory } from './lossy-memory';
import { SimConnection } from './sim-connection';
import { BEGAN_AT } from './sim-database';
import { SimLink } from './sim-link';
import { SimOwner } from './sim-scheduler';
import type { SimWorld } from './sim-world';

const TAIL_EVERY_MS = 150;

/** After a loss a tail misses ten thousand lines for a while, and each look at them costs. */
const LOSSY_TAIL_EVERY_MS = 1_500;

interface Opened {
  connection: RecordStore & HistorySource;
  /** Null where the store never loses its memory. */
  past: BackendLife | null;
}

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
    const { scheduler, memory, flaws } = world;
    const opened = memory ? await scheduler.as(owner, () => this.openGuarded(memory)) : this.open();
    if (!opened) return;
    const { connection, past } = opened;
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
        epochOf: () => past?.epoch ?? 1,
        lossOf: () => past?.loss ?? null,
        clock,
        processId: id,
        newWriter: world.newText,
        policyOf: (namespace) => {
          const policy = { queueLimit: 20, lockDelayMs: world.lockDelayMs };
          return past && namespace !== OWN_NAMESPACE
            ? { ...policy, grantsFrom: past.grantsFrom }
            : policy;
        },
      }),
    );
    this.engine = flaws.engine?.(engine, this) ?? engine;
    const tail = flaws.tail?.(connection) ?? new HistoryTail(connection, clock, 0);
    const everyMs = memory ? LOSSY_TAIL_EVERY_MS : TAIL_EVERY_MS;
    scheduler.as(owner, () => {
      const poll = async () => {
        const rows = await tail.poll().catch(() => []);
        this.tailed.push(...rows.map(({ id: row }) => row));
        setTimeout(poll, everyMs);
      };
      setTimeout(poll, everyMs);
    });
  }

  private open(): Opened {
    const { scheduler, database, random } = this.world;
    const link = new SimLink(scheduler, this.owner, random, (call) => this.world.fateOf(call));
    return { connection: new SimConnection(database, link), past: null };
  }

  /** Null: it could not start, and ended. */
  private async openGuarded(memory: LossyMemory): Promise<Opened | null> {
    try {
      const { store, life } = await memory.open(this);
      return { connection: store, past: life };
    } catch {
      this.owner.isDead = true;
      return null;
    }
  }
}
