import type { FleetSample, HoldBaseline } from '../../contract/console/insight-row';
import { DEFAULT_POLICY } from '../../contract/namespace-policy';
import { type Incident, nextIncident } from '../../core/incidents/incident';
import type { Hold, LockRecord } from '../../core/lock/lock-record';
import { FleetSteps } from '../../core/statistics/fleet-steps';
import { HEAT_STEPS_MS } from '../../core/statistics/heat-steps';
import { LogHistogram } from '../../core/statistics/log-histogram';
import { blockedCallers, totalBlockingMs } from '../../core/status/blocking-time';
import { stuckReason } from '../../core/status/stuck-reason';
import type { HeatRecord } from '../../monitoring/incidents/heat-table';
import { recordId } from '../../storage/record-id';
import type { RecordKey } from '../../storage/record-store';
import type { DemoLock } from './demo-world';

const BASELINE_EVERY_MS = 60_000;

/** An incident from its first reading to its last. */
export interface DemoIncident {
  key: RecordKey;
  first: Incident;
  last: Incident;
}

/**
 * The records that monitoring would have made of the demo's past, from a reading every 2 s.
 */
export class DemoReadings {
  readonly incidents: DemoIncident[] = [];
  private readonly steps = new FleetSteps(Number.POSITIVE_INFINITY);
  /** The heat of each lock, by length and start of the time step. */
  readonly heat = new Map<string, { stepMs: number; at: number; locks: Map<string, HeatRecord> }>();
  private readonly open = new Map<string, DemoIncident>();
  private readonly holds = new Map<string, LogHistogram>();
  private readonly baselines = new Map<string, { at: number; baseline: HoldBaseline | null }>();

  constructor(
    private readonly backend: string,
    private readonly policyOf: (namespace: string) => Partial<typeof DEFAULT_POLICY>,
  ) {}

  get samples(): readonly FleetSample[] {
    return this.steps.all;
  }

  noteHold(lockId: string, heldMs: number): void {
    const histogram = this.holds.get(lockId) ?? new LogHistogram();
    histogram.add(heldMs);
    this.holds.set(lockId, histogram);
  }

  /** @param passedMs milliseconds since the previous reading */
  read(locks: Iterable<DemoLock>, now: number, passedMs: number): void {
    const reading = { at: now, held: 0, waiting: 0, stuck: 0, blockingMs: 0, isWhole: true };
    for (const { key, record } of locks) {
      const holds = record.holds.filter(({ expiresAt }) => expiresAt > now);
      reading.held += holds.length > 0 ? 1 : 0;
      reading.waiting += record.queue.length;
      const { isStuck, blockingMs } = this.readLock(key, record, holds, now, passedMs);
      if (isStuck) reading.stuck += 1;
      reading.blockingMs += blockingMs;
    }
    this.steps.add(reading, now);
  }

  private readLock(
    key: RecordKey,
    { queue }: LockRecord,
    holds: Hold[],
    now: number,
    passedMs: number,
  ): { isStuck: boolean; blockingMs: number } {
    const id = recordId(key);
    const since = queue.map(({ enqueuedAt }) => enqueuedAt);
    const facts = {
      holds,
      waiters: queue.length,
      oldestWaitAt: since.length > 0 ? Math.min(...since) : null,
      waitsSinceSum: since.reduce((sum, at) => sum + at, 0),
    };
    const policy = { ...DEFAULT_POLICY, ...this.policyOf(key.namespace) };
    const baselines = { ownHold: this.baselineOf(id, now), gaveUp: null, policy };
    const blocked = blockedCallers(facts, baselines, now);
    const stuck = stuckReason(facts, baselines, now);
    const blockingMs = totalBlockingMs(blocked, now);
    const [hold] = holds;
    const incident = nextIncident(this.open.get(id)?.last ?? null, {
      at: now,
      status: stuck ? 'stuck' : queue.length > 0 ? 'contended' : hold ? 'held' : 'free',
      isActNow: stuck !== null,
      since: stuck?.since ?? null,
      waiters: queue.length,
      blockingMs,
      actors: [],
      held: holds.map(({ token }) => token),
      ended: null,
      stuck,
      hold: hold ? incidentHold(hold) : null,
    });
    this.follow(id, key, incident);
    if (blocked.callers > 0) {
      const status = stuck ? 'stuck' : 'contended';
      const waiterMs = blocked.callers * passedMs;
      this.addHeat(id, { backend: this.backend, key, waiterMs, status }, now);
    }
    return { isStuck: stuck !== null, blockingMs };
  }

  private follow(id: string, key: RecordKey, incident: Incident | null): void {
    if (!incident) return;
    const known = this.open.get(id) ?? { key, first: incident, last: incident };
    known.last = incident;
    this.open.set(id, known);
    if (incident.readAt === known.first.readAt) this.incidents.push(known);
    if (incident.endedAt !== null) this.open.delete(id);
  }

  private addHeat(id: string, record: HeatRecord, now: number): void {
    for (const stepMs of HEAT_STEPS_MS) {
      const at = Math.floor(now / stepMs) * stepMs;
      const step = this.heat.get(`${stepMs} ${at}`) ?? { stepMs, at, locks: new Map() };
      this.heat.set(`${stepMs} ${at}`, step);
      const known = step.locks.get(id);
      if (!known) step.locks.set(id, { ...record });
      else {
        known.waiterMs += record.waiterMs;
        if (record.status === 'stuck') known.status = 'stuck';
      }
    }
  }

  private baselineOf(id: string, now: number): HoldBaseline | null {
    const known = this.baselines.get(id);
    if (known && now - known.at < BASELINE_EVERY_MS) return known.baseline;
    const holds = this.holds.get(id);
    const [p50Ms, p99Ms] = [holds?.quantile(0.5) ?? null, holds?.quantile(0.99) ?? null];
    const baseline =
      holds && holds.count >= 20 && p50Ms !== null && p99Ms !== null
        ? { p50Ms, p99Ms, count: holds.count }
        : null;
    this.baselines.set(id, { at: now, baseline });
    return baseline;
  }
}

function incidentHold({ service, owner, token, grantedAt, meta }: Hold) {
  const { host } = meta;
  return { service, owner, token, grantedAt, ...(host === undefined ? {} : { host }) };
}
