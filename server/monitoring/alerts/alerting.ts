import type { Database } from '@/db/database';
import type { ConfiguredReceiver } from '../../bootstrap/config/alert-receivers';
import { DEFAULT_RETENTION } from '../../core/retention';
import type { Clock } from '../../platform/clock';
import type { ShouldContinue } from '../../platform/periodic';
import { randomTextPool } from '../../platform/random-text-pool';
import { SerialQueue } from '../../platform/serial-queue';
import type { MetricFamily } from '../metrics/metrics';
import { alertMetrics } from './alert-metrics';
import type { AlertSources } from './alert-readings';
import { AlertWatch } from './alert-watch';
import { NearCounters } from './near-counters';
import { ReceiverTable } from './receiver-table';
import { AlertSender } from './sending/alert-sender';

const WATCH_EVERY_MS = 1_000;
const SEND_EVERY_MS = 1_000;
const PRUNE_EVERY_MS = 10 * 60_000;
const ID_BYTES = 12;

/** How alerts are sent; absent: not at all. */
export interface AlertDelivery {
  receivers?: readonly ConfiguredReceiver[];
  /** Origin of links to the console. */
  origin?: string;
}

interface AlertingParts extends AlertDelivery {
  database: Database;
  projection: Pick<AlertSources, 'table' | 'isRead'> & {
    stores: Pick<AlertSources, 'isFresh'>;
    counters: { table: ConstructorParameters<typeof NearCounters>[0] };
  };
  backends: AlertSources['backends'];
  namespaces: { all: AlertSources['namespaces'] };
  clock: Clock;
  /** How long resolved alerts are kept; absent: the default. */
  historyMs?: number;
}

/** Watches for alerts and sends them, only while this process runs maintenance. */
export class Alerting {
  private readonly watch: AlertWatch;
  private readonly senders: AlertSender[];

  constructor({ database, receivers = [], clock, origin = '', ...parts }: AlertingParts) {
    const { historyMs = DEFAULT_RETENTION.historyMs } = parts;
    const newId = randomTextPool(ID_BYTES);
    const stored = new ReceiverTable(database);
    const statesNow = async () => {
      const states = await stored.all();
      return receivers.map(({ id }) => states.get(id));
    };
    const sent = {
      byAll: async () => {
        const positions = (await statesNow()).map(
          (state) => state?.pending?.message.after ?? state?.position ?? 0,
        );
        return positions.length === 0 ? Number.MAX_SAFE_INTEGER : Math.min(...positions);
      },
      byAny: async () => Math.max(0, ...(await statesNow()).map((state) => state?.position ?? 0)),
    };
    const turns = new SerialQueue();
    this.watch = new AlertWatch(database, sourcesOf(parts, clock), sent, historyMs, turns);
    const alerts = () => this.watch.known();
    this.senders = receivers.map(
      (receiver) => new AlertSender({ receiver, stored, alerts, turns, clock, origin, newId }),
    );
  }

  /** Its periodic jobs. */
  jobs(): {
    name: string;
    everyMs: number;
    run: (shouldContinue?: ShouldContinue) => Promise<void>;
  }[] {
    const { watch, senders } = this;
    return [
      { name: 'watch for alerts', everyMs: WATCH_EVERY_MS, run: () => watch.run() },
      {
        name: 'prune alerts',
        everyMs: PRUNE_EVERY_MS,
        run: (shouldContinue) => watch.prune(shouldContinue),
      },
      ...senders.map((sender) => ({
        name: `send alerts to ${sender.id}`,
        everyMs: SEND_EVERY_MS,
        run: () => sender.run(),
      })),
    ];
  }

  /** Starts again from the stored alerts, as after another process did this work. */
  restart(): void {
    this.watch.restart();
    for (const sender of this.senders) sender.restart();
  }

  /** Leaves this work to another process: forgets the alerts, and ends attempts to send them. */
  abort(): void {
    this.watch.leave();
    for (const sender of this.senders) sender.abort();
  }

  metrics(): MetricFamily[] {
    const attempts = this.senders.map(({ id, counts }) => ({ receiver: id, ...counts }));
    return alertMetrics(this.watch.firing, this.watch.leftOut, attempts);
  }
}

function sourcesOf(
  {
    projection,
    backends,
    namespaces,
  }: Pick<AlertingParts, 'projection' | 'backends' | 'namespaces'>,
  clock: Clock,
): AlertSources {
  const { table, counters, stores } = projection;
  return {
    table,
    counters: new NearCounters(counters.table, () => table.slice()),
    isRead: (backend) => projection.isRead(backend),
    isFresh: (backend) => stores.isFresh(backend),
    backends,
    namespaces: () => namespaces.all(),
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
  };
}
