import type { Database } from '@/db/database';
import type { ConfiguredReceiver } from '../../../bootstrap/config/alert-receivers';
import type { AlertRules } from '../../../contract/console/alerts/alert-rules';
import { NameCount } from '../../../engine/names/name-count';
import { recordId } from '../../../storage/record-id';
import { type CounterEntry, CounterTable } from '../../projection/counter-table';
import type { MonitoredBackend } from '../../projection/monitored-backend';
import { rowId } from '../../projection/projection-row';
import { TableRig } from '../../testing/table-rig';
import { Alerting } from '../alerting';

export const SIGNING_KEY = Buffer.alloc(32, 'k');
export const ORIGIN = 'https://locks.example';

/** The alerts of several processes over locks that the test sets and a clock that it moves. */
export class AlertRig extends TableRig {
  /** By how much the clock was set forward. */
  private setForwardMs = 0;
  /** How long a silent backend has not responded, as far as a process knows. */
  silentForMs = 90_000;
  readonly counters = new CounterTable(new NameCount(() => this.now));

  constructor(private readonly database: Database) {
    super();
    this.stuckAfterMs = 60_000;
  }

  /** A process that could run maintenance. */
  process(receivers: ConfiguredReceiver[]): AlertingProcess {
    const health = (id: string) => ({
      id,
      kind: 'sqlite',
      reachable: !this.silent.has(id),
      silentForMs: this.silent.has(id) ? this.silentForMs : 0,
      clockOffsetMs: this.clockOffsetMs,
    });
    const alerting = new Alerting({
      database: this.database,
      projection: {
        table: this.table,
        counters: { table: this.counters },
        isRead: () => true,
        stores: { isFresh: ({ id }) => !this.silent.has(id) },
      },
      backends: ['default', 'other'].map((id) => ({
        id,
        engine: { health: () => health(id) },
      })) as unknown as MonitoredBackend[],
      namespaces: {
        all: () => [
          { name: 'default', backend: 'default' },
          { name: 'away', backend: 'other' },
        ],
      },
      receivers,
      clock: { now: () => this.now, monotonic: () => this.now - this.setForwardMs },
      origin: ORIGIN,
    });
    return new AlertingProcess(alerting);
  }

  /** Lets time pass, with one round of the process's jobs every `everyMs`. */
  async pass(process: AlertingProcess, forMs: number, everyMs = 1_000): Promise<void> {
    const until = this.now + forMs;
    while (this.now < until) {
      this.now = Math.min(until, this.now + everyMs);
      await process.round();
    }
  }

  /** Sets the clock, of this process and of every backend, without time passing. */
  setClock(byMs: number): void {
    this.now += byMs;
    this.setForwardMs += byMs;
  }

  /** @param value null: it cannot be read */
  count(name: string, value: number | null, rev: number): void {
    const entry: CounterEntry = {
      id: rowId('default', recordId({ namespace: 'default', name, kind: 'counter' })),
      namespace: 'default',
      name,
      backend: 'default',
      storeId: 'default',
      rev,
      value,
      floor: 0,
      ceiling: null,
      createdAt: 0,
      lastMove: null,
      readAt: this.now + this.clockOffsetMs,
      searchText: name,
    };
    this.counters.store(entry);
  }

  async setRules(namespace: string, rules: AlertRules): Promise<void> {
    const { db, tables } = this.database;
    await db.insert(tables.alertRules).values({ namespace, rules: JSON.stringify(rules) });
  }

  async silence(matcher: object, endsAt: number): Promise<void> {
    const { db, tables } = this.database;
    await db.insert(tables.alertSilences).values({
      id: `s${endsAt}`,
      matcher: JSON.stringify(matcher),
      reason: 'known',
      actor: 'ana',
      createdAt: this.now,
      endsAt,
    });
  }
}

/** Runs what maintenance would run, when the test says so. */
export class AlertingProcess {
  constructor(readonly alerting: Alerting) {}

  async round(): Promise<void> {
    for (const { name, run } of this.alerting.jobs()) if (!name.startsWith('prune')) await run();
  }
}

/** A receiver as the environment names it. */
export const webhook = (
  url: string,
  parts: Partial<ConfiguredReceiver> = {},
): ConfiguredReceiver => ({
  id: 'ops',
  format: 'webhook',
  url: `${url}/hook`,
  authorization: null,
  key: SIGNING_KEY,
  ...parts,
});
