import { pino } from 'pino';
import type { Database } from '@/db/database';
import type { ForceReleaseAnswer } from '@/server/contract/console/operator-answers';
import { seeded } from '@/server/engine/testing/seeded';
import { requestOfIntent } from '@/server/operations/audit/act-identity';
import { resolveAuditIntents } from '@/server/operations/audit/resolve-audit-intents';
import { extendLock } from '@/server/operations/locks/for-people/extend-lock';
import { forceReleaseLock } from '@/server/operations/locks/for-people/force-release-lock';
import type { OperationContext, Runtime } from '@/server/operations/operation-context';
import type { RecordKey } from '@/server/storage/record-store';
import type { Referee } from './referee';
import type { SimClient } from './sim-client';
import { controlDatabaseOver } from './sim-control-database';
import { type Fate, SimLink } from './sim-link';
import type { SimProcess } from './sim-process';
import type { SimWorld } from './sim-world';

const AUDITS = 0x3d17;
const RESOLVE_EVERY_MS = 5_000;
const EXTEND_MS = 300;

/** Long enough for a late packet to find the hold unchanged after the action was closed. */
const LONG_LEASE_MS = 40_000;

/** The share of actions during which the writes of their process are stuck, and for how long. */
const STUCK_SHARE = 0.3;
const STUCK_SHARE_AT_END = 0.6;
const STUCK_FOR_MS = 6_000;

/** Whether an outcome says that this call did the action, and not another operator before it. */
const isDone = (outcome: string) => outcome === 'done';

/**
 * The actions of operators in a world with an audit log. The operations, the log and the
 * maintenance that finds the outcome of an action are the real ones, over a real SQLite in memory
 * that each process reaches with the faults of its world.
 */
export class AuditedActions {
  /** The longest time for which a process is stopped. */
  readonly stopMs = 12_000;
  /**
   * Long enough for the last packet to arrive, the last stopped process to continue, and every
   * intent to be closed.
   */
  readonly quietMs = 50_000;
  private readonly random: () => number;
  private readonly runtimes = new Map<SimProcess, Runtime>();
  /** Processes whose writes are stuck, and until when. */
  private readonly stuckUntil = new Map<SimProcess, number>();

  constructor(
    private readonly world: SimWorld,
    private readonly control: Database,
  ) {
    this.random = seeded(world.seed ^ AUDITS);
    world.longLeaseMs = LONG_LEASE_MS;
  }

  /** What happens to a write on a connection whose writes are stuck; null for every other call. */
  fateOf(process: SimProcess, call: 'read' | 'swap'): Fate | null {
    const until = this.stuckUntil.get(process) ?? 0;
    return call === 'swap' && this.world.scheduler.now < until ? 'stuck' : null;
  }

  /** Runs the job that resolves intents in a process; every process runs it, which does no harm. */
  resolveBy(process: SimProcess): void {
    const again = async () => {
      await resolveAuditIntents(this.runtimeOf(process)).catch(() => 0);
      setTimeout(again, RESOLVE_EVERY_MS);
    };
    this.world.scheduler.as(process.owner, () => void setTimeout(again, RESOLVE_EVERY_MS));
  }

  /** Acts after all callers have left: no process changes what a late packet may still find. */
  async operateAtEnd(client: SimClient): Promise<void> {
    for (const key of this.world.keys) {
      const isHeld = this.random() < 0.5 || (await client.acquire(key, LONG_LEASE_MS)) !== null;
      if (isHeld) await this.operate(client, key, STUCK_SHARE_AT_END);
    }
  }

  /** Ends the current hold, or extends it. */
  async operate(client: SimClient, key: RecordKey, stuck = STUCK_SHARE): Promise<void> {
    const { checks } = client;
    const hold = checks.referee.record(key)?.holds[0];
    if (!hold) return;
    const { token } = hold;
    await this.world.scheduler.pause(this.random() * 50);
    const seen = { namespace: key.namespace, name: key.name, token, rev: 1, reason: 'drill' };
    const isStuck = this.random() < stuck;
    const by = (engine: SimProcess['engine']) => {
      const process = this.world.processes.find((one) => one.engine === engine);
      if (!process) throw new Error('This engine belongs to no process.');
      if (isStuck) this.stuckUntil.set(process, this.world.scheduler.now + STUCK_FOR_MS);
      return this.contextOf(process);
    };
    if (this.random() < 0.3) {
      // The call checker counts it as a renewal with an unknown outcome.
      client.record('renew', key, token, EXTEND_MS);
      const extend = { ...seen, extendMs: EXTEND_MS };
      await client.call(
        (engine) => extendLock(by(engine), extend),
        () => undefined,
      );
      return;
    }
    const call = client.record('force', key, token, 0);
    const reply = await client.call<ForceReleaseAnswer>(
      (engine) => forceReleaseLock(by(engine), seen),
      (heard) => checks.forced(key, token, heard),
    );
    const isForced = reply !== 'silence' && 'answer' in reply && reply.answer.outcome === 'forced';
    client.conclude(call, reply, isForced, token);
  }

  /** Checks that every intent is closed by now, and that its outcome in the log is true. */
  async check(truth: Referee): Promise<void> {
    const { db, tables } = this.control;
    for (const row of await db.select().from(tables.audit)) {
      const { act, subject, outcome } = row;
      const request = requestOfIntent(row);
      const hasLanded = request !== null && truth.answeredRequests.has(request.key);
      if (outcome === 'pending')
        truth.report(`no process resolved the outcome of ${act} of ${subject}`);
      else if (isDone(outcome) !== hasLanded) {
        truth.report(
          `the audit log says ${outcome} for ${act} of ${subject}; it was applied: ${hasLanded}`,
        );
      }
    }
  }

  private contextOf(process: SimProcess): OperationContext {
    const runtime = this.runtimeOf(process);
    return { runtime, actor: { kind: 'cli' }, address: 'local', requestId: '' };
  }

  private runtimeOf(process: SimProcess): Runtime {
    const known = this.runtimes.get(process);
    if (known) return known;
    const { scheduler } = this.world;
    const fateOf = (call: 'read' | 'swap') => this.world.fateOf(call);
    const link = new SimLink(scheduler, process.owner, this.random, fateOf);
    const home = { name: 'default', backend: 'default' };
    const made = {
      database: controlDatabaseOver(this.control, link),
      clock: process.clock,
      log: pino({ level: 'silent' }),
      engines: new Map([['default', process.engine]]),
      namespaces: { cached: () => home, get: async () => home },
    } as unknown as Runtime;
    this.runtimes.set(process, made);
    return made;
  }
}
