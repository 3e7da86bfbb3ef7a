import { pino } from 'pino';
import type { Database } from '@/db/database';
import { DEFAULT_POLICY, type NamespacePolicy } from '../../contract/namespace-policy';
import { NameCount } from '../../engine/names/name-count';
import { EngineRig, type Member } from '../../engine/testing/engine-rig';
import { systemClock } from '../../platform/clock';
import type { StoreName } from '../../storage/conformance/testing/stores-under-test';
import type { ObservedBackend } from '../projection/lock-projection';
import { type Observing, startObserving } from '../start-monitoring';

/** One process that watches the locks, and the faults that can be put between it and its store. */
export interface Watcher extends Member {
  observing: Observing;
  /**
   * How often it has been asked to close audit intents: only the process that has the chores is.
   */
  intents: { asked: number };
}

/** What a watcher has besides its backend `default`. */
export interface WatcherParts {
  besides?: ObservedBackend[];
  database?: Database;
  policy?: NamespacePolicy;
}

/** Processes that watch one fresh store. */
export class ObservingRig {
  private readonly watchers: Watcher[] = [];

  private constructor(readonly engines: EngineRig) {}

  static async open(name: StoreName): Promise<ObservingRig> {
    return new ObservingRig(await EngineRig.open(name));
  }

  async watch({
    besides = [],
    database = this.engines.under.database,
    policy = DEFAULT_POLICY,
  }: WatcherParts = {}) {
    const member = await this.engines.join();
    const intents = { asked: 0 };
    const observing = startObserving({
      backends: [
        { id: 'default', store: member.faults, engine: member.engine, epochOf: () => 1 },
        ...besides,
      ],
      database,
      clock: systemClock,
      log: pino({ level: 'silent' }),
      processId: member.process,
      backendOf: async () => 'default',
      policyOf: () => policy,
      names: new NameCount(() => systemClock.monotonic()),
      isShortOfMemory: () => false,
      resolveIntents: async () => {
        intents.asked += 1;
      },
    });
    const watcher: Watcher = { ...member, observing, intents };
    this.watchers.push(watcher);
    return watcher;
  }

  async close(): Promise<void> {
    await Promise.all(this.watchers.map(({ observing }) => observing.close()));
    await this.engines.close();
  }
}
