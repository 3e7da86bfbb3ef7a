import { pino } from 'pino';
import type { Database } from '@/db/database';
import { DEFAULT_POLICY, type NamespacePolicy } from '../../contract/namespace-policy';
import { NameCount } from '../../engine/names/name-count';
import { EngineRig, type Member } from '../../engine/testing/engine-rig';
import { systemClock } from '../../platform/clock';
import type { StoreName } from '../../storage/conformance/testing/stores-under-test';
import type { Monitoring } from '../monitoring';
import type { MonitoredBackend } from '../projection/monitored-backend';
import { startMonitoring } from '../start-monitoring';

/** One process that watches the locks, and the faults that can be put between it and its store. */
export interface MonitoringMember extends Member {
  monitoring: Monitoring;
  /**
   * How often it has been asked to close audit intents: only the process that runs maintenance is.
   */
  intents: { asked: number };
}

/** What a watcher has in addition to its backend `default`. */
export interface MemberOptions {
  otherBackends?: MonitoredBackend[];
  database?: Database;
  policy?: NamespacePolicy;
}

/** Processes that watch one fresh store. */
export class MonitoringRig {
  /** Namespaces that no process knows any more. */
  readonly removedNamespaces = new Set<string>();
  private readonly watchers: MonitoringMember[] = [];

  private constructor(readonly engines: EngineRig) {}

  static async open(name: StoreName): Promise<MonitoringRig> {
    return new MonitoringRig(await EngineRig.open(name));
  }

  async watch({
    otherBackends = [],
    database = this.engines.under.database,
    policy = DEFAULT_POLICY,
  }: MemberOptions = {}) {
    const member = await this.engines.join();
    const intents = { asked: 0 };
    const monitoring = startMonitoring({
      backends: [
        { id: 'default', store: member.faults, engine: member.engine, epochOf: () => 1 },
        ...otherBackends,
      ],
      database,
      clock: systemClock,
      log: pino({ level: 'silent' }),
      processId: member.process,
      namespaces: {
        get: async (name) => (this.removedNamespaces.has(name) ? null : { backend: 'default' }),
        keeperOf: async () => 'default',
        policyOf: () => policy,
        all: () => [],
      },
      names: new NameCount(() => systemClock.monotonic()),
      heap: { isShort: () => false },
      resolveIntents: async () => {
        intents.asked += 1;
      },
    });
    const watcher: MonitoringMember = { ...member, monitoring, intents };
    this.watchers.push(watcher);
    return watcher;
  }

  async close(): Promise<void> {
    await Promise.all(this.watchers.map(({ monitoring }) => monitoring.close()));
    await this.engines.close();
  }
}
