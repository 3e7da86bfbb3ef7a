import type { Database } from '@/db/database';
import type { FleetSample } from '../../contract/console/insight-row';
import { withHoldEnd } from '../../core/incidents/incident';
import { HEAT_LOCKS_MAX } from '../../core/statistics/heat-steps';
import { newWriter } from '../../engine/new-writer';
import { eventRows, insertionsOf } from '../../monitoring/history/recorder/event-rows';
import { HeatTable } from '../../monitoring/incidents/heat-table';
import { IncidentTable } from '../../monitoring/incidents/incident-table';
import { EventTally } from '../../monitoring/metrics/event-tally';
import { RollUpWriter } from '../../monitoring/rollups/roll-up-writer';
import { closeIntent, openIntent } from '../../operations/audit/audit-log';
import type { ControlRuntime } from '../../operations/operation-context';
import { encodeCounter } from '../../storage/codec/counter-codec';
import type { RecordStore } from '../../storage/record-store';
import { type DemoAct, type DemoHour, playDemoHour } from './play-demo-hour';

const BACKEND = 'default';

/** The id of the simulated commit: below that of the store's first one. */
const BEFORE_ALL = 0;

/** The longest time that a writer of roll-ups waits for more. */
const ROLL_UPS_DUE_MS = 60_000;

/**
 * Gives a demo that starts for the first time an hour of history with one incident: events,
 * roll-ups, counters, incident, audit entry. Does nothing on a later start. Call it before anything
 * else reads or writes history.
 *
 * @returns the figures of the lock list during that hour
 */
export async function seedDemo(
  control: ControlRuntime,
  store: Pick<RecordStore, 'swap'>,
  epoch: number,
): Promise<readonly FleetSample[]> {
  const { database, clock } = control;
  if (!(await isFresh(database))) return [];
  const now = Math.floor(clock.now());
  const hour = playDemoHour(now, epoch, Math.random);
  await writeEvents(database, hour, now);
  await writeCounters(store, hour);
  await writeIncidents(database, hour);
  if (hour.act) await writeAct(control, hour.act);
  return hour.readings.samples;
}

async function isFresh({ raw }: Database): Promise<boolean> {
  const { rows } = await raw.ask("SELECT id FROM cursors WHERE id LIKE 'opened/%' LIMIT 1", []);
  const events = await raw.ask('SELECT rev FROM lock_events LIMIT 1', []);
  return rows.length + events.rows.length === 0;
}

async function writeEvents(database: Database, { world }: DemoHour, now: number): Promise<void> {
  const commit = { id: BEFORE_ALL, at: now, changes: world.changes };
  await database.raw.batch(insertionsOf(database.kind, eventRows(BACKEND, [commit])), false);
  let passedMs = 0;
  const clock = { now: () => now, monotonic: () => passedMs };
  const rollUps = new RollUpWriter(database, BACKEND, clock, new EventTally());
  await rollUps.begin(BEFORE_ALL - 1);
  passedMs += ROLL_UPS_DUE_MS;
  await rollUps.take([commit], BEFORE_ALL);
}

/** Writes the counters alone: all locks are free and need no record. */
async function writeCounters(store: Pick<RecordStore, 'swap'>, { world }: DemoHour): Promise<void> {
  const none = { events: [], storedAnswers: [], extensions: [] };
  const changes = [...world.counters.values()].map(({ key, record }) => ({
    ...{ key, expect: null, writer: newWriter(), rev: record.rev, ...none },
    clock: { past: 0, ahead: Number.POSITIVE_INFINITY },
    ...{ head: encodeCounter(record).head, queue: '' },
  }));
  await store.swap(changes);
}

async function writeIncidents(database: Database, { readings, act }: DemoHour): Promise<void> {
  const incidents = new IncidentTable(database);
  for (const { key, first, last } of readings.incidents) {
    const { namespace, name } = key;
    const subject = { id: `${BACKEND}/${namespace}/${name}`, backend: BACKEND, namespace, name };
    await incidents.write([{ open: { ...subject, incident: first }, isNew: true }]);
    const isActedOn = act && act.key.name === name && act.at >= first.beganAt;
    const ended = last.endedAt === null ? { endedAt: last.clearedAt ?? last.readAt } : {};
    const actedOn = isActedOn && {
      actors: [act.by],
      facts: withHoldEnd(last.facts, [{ token: act.token, to: act.at }]),
    };
    const incident = { ...last, ...ended, ...actedOn };
    await incidents.write([{ open: { ...subject, incident }, isNew: false }]);
  }
  const heat = new HeatTable(database);
  for (const [i, { stepMs, at, locks }] of [...readings.heat.values()].entries()) {
    const ranked = [...locks.values()].sort((a, b) => b.waiterMs - a.waiterMs);
    await heat.add(stepMs, at, ranked.slice(0, HEAT_LOCKS_MAX), i + 1);
  }
}

async function writeAct(control: ControlRuntime, { at, key, by, reason, token }: DemoAct) {
  const clock = { ...control.clock, now: () => at };
  const runtime = { ...control, clock };
  const ctx = { runtime, actor: null, address: 'local', requestId: 'demo' };
  const what = { act: 'lock.forceRelease' as const, namespace: key.namespace, subject: key.name };
  const who = { name: by, kind: 'user' as const };
  const intent = await openIntent(ctx, who, { ...what, reason, seen: { token } });
  const result = { outcome: 'released', token };
  await closeIntent(runtime, intent, { outcome: 'done', result });
}
