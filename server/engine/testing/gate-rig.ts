import { Redis } from 'ioredis';
import { startPrivateRedis } from '@/scripts/servers/private-redis.mjs';
import { TcpProxy } from '@/test/tcp-proxy';
import type { Bounds } from '../../contract/counter-bounds';
import type { CounterCommand } from '../../core/counter/counter-command';
import type { RecordKey } from '../../storage/record-store';
import { GATE_LIMITS, type GateLimits, openRedisGate } from '../../storage/redis-gate/redis-gate';
import type { CounterGate } from '../gate/counter-gate';
import { CounterGates } from '../gate/counter-gates';
import type { LockEngine } from '../lock-engine';
import { createCommand } from './counter-calls';
import { EngineRig, type Member, newProcess, pause } from './engine-rig';
import moveGateClock from './move-gate-clock.lua';

/** The limits of production, but shorter. */
export const SHORT: GateLimits = {
  stepMaxMs: 600,
  freshMs: 1_600,
  refreshMs: 600,
  claimMs: 400,
  askAgainMs: 60,
};

/** The first words of a counter's value in Redis. */
const FIELDS = ['rev', 'value', 'floor', 'ceiling', 'boundsRev', 'asOf'] as const;

type GateFields = Partial<Record<(typeof FIELDS)[number], string>>;

/** A busy machine alone must not look like a slow Redis. */
const ANSWER_MAX_MS = 3_000;

/** A process with a gate in front of its counters. */
export interface GatedMember {
  engine: LockEngine;
  gate: CounterGate;
  /** Its engine without the gate. */
  plain: Member;
  /** The instants at which it noticed that the gate did not respond. */
  failedAt: number[];
  /** Moves its monotonic clock forward. */
  later(ms: number): void;
}

/** Processes over one fresh MySQL, with a private Redis as a gate, behind a proxy. */
export class GateRig {
  private readonly gates: CounterGates[] = [];

  private constructor(
    readonly rig: EngineRig,
    readonly redis: Awaited<ReturnType<typeof startPrivateRedis>>,
    readonly proxy: TcpProxy,
    readonly admin: Redis,
    private readonly limits: GateLimits,
    private readonly lingerMs: number | undefined,
  ) {}

  /** @param lingerMs as in `CounterGateOptions` */
  static async open(limits: GateLimits = GATE_LIMITS, lingerMs?: number): Promise<GateRig> {
    const redis = await startPrivateRedis();
    const proxy = await TcpProxy.start('127.0.0.1', Number(new URL(redis.url).port));
    const admin = new Redis(redis.url, { protocol: 2 });
    const rig = await EngineRig.open('mysql');
    return new GateRig(rig, redis, proxy, admin, limits, lingerMs);
  }

  async join(answerMaxMs = ANSWER_MAX_MS): Promise<GatedMember> {
    const plain = await this.rig.join();
    const failedAt: number[] = [];
    let aheadMs = 0;
    const scope = { scope: 'test', process: newProcess() };
    const gates = new CounterGates({
      ids: ['cache'],
      open: () => openRedisGate(`redis://127.0.0.1:${this.proxy.port}`, scope, this.limits),
      gateIdOf: () => 'cache',
      clock: { now: () => Date.now(), monotonic: () => performance.now() + aheadMs },
      lingerMs: this.lingerMs,
      answerMaxMs,
      log: { warn: () => failedAt.push(performance.now()), info: () => {} },
    });
    this.gates.push(gates);
    const engine = gates.inFrontOf(plain.engine);
    const gate = gates.of('default', 'default');
    if (!gate) throw new Error('There is no gate.');
    const later = (ms: number) => {
      aheadMs += ms;
    };
    return { engine, gate, plain, failedAt, later };
  }

  /** Moves the gate's clock forward. */
  async later(ms: number): Promise<void> {
    await this.admin.eval(moveGateClock, 0, ms);
  }

  async wipe(): Promise<void> {
    await this.admin.flushall();
  }

  /** The gate's fields of a counter. */
  async fieldsOf(key: RecordKey): Promise<GateFields> {
    const words = ((await this.admin.get(keyOf(key))) ?? '').split(' ');
    return Object.fromEntries(FIELDS.map((field, i) => [field, words[i]]));
  }

  /** Changes the gate's fields of a counter without any check, as a fault of its Redis would. */
  async spoil(key: RecordKey, fields: GateFields): Promise<void> {
    const known = ((await this.admin.get(keyOf(key))) ?? '- - - - - - -').split(' ');
    const words = known.map((word, i) => {
      const field = FIELDS[i];
      return (field && fields[field]) ?? word;
    });
    await this.admin.set(keyOf(key), words.join(' '), 'KEEPTTL');
  }

  async close(): Promise<void> {
    for (const gates of this.gates) gates.close();
    this.admin.disconnect();
    await this.rig.close();
    await this.proxy.close();
    await this.redis.stop();
  }
}

/** The key under which the gate keeps a counter. */
const keyOf = ({ namespace, name }: RecordKey) =>
  `lockyard:gate:{test}:counter:${namespace}#${name}`;

export async function createAt(
  { engine }: Pick<GatedMember, 'engine'>,
  key: RecordKey,
  initial: number,
  bounds: Partial<Bounds> = { floor: 0 },
): Promise<void> {
  await engine.count(key, createCommand(initial, bounds));
}

/** A step without a request id. */
export const step = (
  { engine }: Pick<GatedMember, 'engine'>,
  key: RecordKey,
  delta: number,
  more: Partial<CounterCommand & { verb: 'add' }> = {},
) =>
  engine.count(key, { verb: 'add', delta, party: { service: 'orders' }, request: null, ...more });

/** Asks for more than is left until the gate itself refuses that; returns how long it took. */
export async function untilRefusedByGate(
  member: Pick<GatedMember, 'engine'>,
  key: RecordKey,
  delta: number,
  limitMs = 20_000,
): Promise<number> {
  const startedAt = performance.now();
  for (;;) {
    const answer = await step(member, key, delta);
    if ('estimate' in answer) return performance.now() - startedAt;
    if (answer.outcome !== 'outOfBounds') throw new Error('More is left than the test assumes.');
    if (performance.now() - startedAt > limitMs) throw new Error('The gate refuses nothing.');
    await pause(20);
  }
}
