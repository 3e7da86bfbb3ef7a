import { LockyardError } from '@/server/contract/errors';
import type { LockEvent } from '@/server/core/lock/lock-event';
import { isReleased, type LockRecord } from '@/server/core/lock/lock-record';
import { decodeRecord, encodeRecord } from '@/server/storage/codec/record-codec';
import type { Change, ReadResult, RecordStore } from '@/server/storage/record-store';
import type { SimProcess } from './sim-process';
import type { Flaws } from './sim-world';

/** The first hold, in place of the one that a command names. */
function anyHold(record: LockRecord | null) {
  const [hold] = record?.holds ?? [];
  return hold ? { service: hold.service, owner: hold.owner, token: hold.token } : {};
}

function withoutLeastTimes(record: LockRecord): LockRecord {
  const holds = record.holds.map(({ keptUntil: _, ...hold }) => hold);
  return { ...record, holds };
}

const outcomeOf = ({ answer }: { answer: unknown }) => (answer as { outcome: string }).outcome;

/** The clock offset in ms of a process that trusts its own clock. */
function offsetOf(process: string): number {
  return ([...process].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 7) * 400 - 1_200;
}

/** Builds that are each broken in one way, as real lock implementations are. */
export const BROKEN_BUILDS: Record<string, Flaws> = {
  'a release that ignores the token': {
    locks: (decide) => (record, command, context) =>
      decide(
        record,
        command.verb === 'release' ? { ...command, ...anyHold(record) } : command,
        context,
      ),
  },
  'tokens from a counter of each process': { locks: countTokensByProcess },
  'leases judged by the clock of the server': {
    database: { ignoresClock: true },
    locks: (decide) => (record, command, context) =>
      decide(record, command, { ...context, now: context.now + offsetOf(context.process) }),
  },
  'a lock that is taken first and given its lease later': { store: setLeaseLater },
  'a renewal that takes the lock again': {
    engine: (engine) => ({
      ...bound(engine),
      run: async (key, command) => {
        const answer = await engine.run(key, command);
        if (command.verb !== 'renew' || (answer as { outcome: string }).outcome !== 'lost') {
          return answer;
        }
        const { service, owner, leaseMs, token } = command;
        const mode = 'exclusive' as const;
        const request = { key: `${token}`, inputHash: '', remembered: false };
        const plain = { waitMs: 0, mode, reentrant: false, meta: {}, request };
        const ask = { verb: 'acquire' as const, service, owner, leaseMs, ...plain };
        const taken = await engine.acquire(key, ask, { holdRequestMs: 0 });
        if (taken.outcome !== 'granted') return answer;
        return { outcome: 'renewed', rev: taken.rev, expiresAt: 0, expiresInMs: 0 } as never;
      },
    }),
  },
  'a renewal that ignores the token': {
    locks: (decide) => (record, command, context) =>
      decide(
        record,
        command.verb === 'renew' ? { ...command, ...anyHold(record) } : command,
        context,
      ),
  },
  'an acquire that reads, and then writes': {
    database: { ignoresExpectation: ({ kind, namespace }) => !kind && namespace === 'default' },
  },
  'request ids that are ignored': {
    locks: (decide) => (record, command, context) =>
      decide(record, command, { ...context, storedAnswer: null }),
    counters: (decide) => (record, command, context) =>
      decide(record, command, { ...context, storedAnswer: null }),
  },
  'a swap that does not check for a stored answer': { database: { ignoresAnswers: true } },
  're-entry by the name of the service': {
    locks: (decide) => (record, command, context) => {
      const [hold] = record?.holds ?? [];
      if (command.verb !== 'acquire' || !hold) return decide(record, command, context);
      const { owner, mode, permits = 1 } = hold;
      const wanted = mode === 'permit' ? { permits } : {};
      return decide(record, { ...command, owner, mode, ...wanted, reentrant: true }, context);
    },
  },
  're-entries that are not counted': {
    locks: (decide) => (record, command, context) => {
      const decision = decide(record, command, context);
      if (command.verb !== 'acquire' || !decision.next) return decision;
      const holds = decision.next.holds.map((hold) => ({ ...hold, count: 1 }));
      return { ...decision, next: { ...decision.next, holds } };
    },
  },
  'a minimum hold time that a release ends': {
    locks: (decide) => (record, command, context) => {
      const forgetful = command.verb === 'release' && record ? withoutLeastTimes(record) : record;
      return decide(forgetful, command, context);
    },
  },
  'a minimum hold time during which the lock is granted to the next caller': {
    locks: (decide) => (record, command, context) => {
      if (command.verb !== 'acquire' || !record) return decide(record, command, context);
      const holds = record.holds.filter((hold) => !isReleased(hold));
      return decide({ ...record, holds }, command, context);
    },
  },
  'a freeze that lets newcomers in': {
    locks: (decide) => (record, command, context) => {
      if (command.verb !== 'acquire' || !record?.frozen) return decide(record, command, context);
      const decision = decide({ ...record, frozen: null }, command, context);
      const next = decision.next && { ...decision.next, frozen: record.frozen };
      return { ...decision, next };
    },
  },
  'a lock-delay that is forgotten': {
    locks: (decide) => (record, command, context) =>
      decide(record && { ...record, delayedUntil: 0 }, command, context),
  },
  'a force-release that leaves the token as it is': {
    locks: (decide) => (record, command, context) => {
      const decision = decide(record, command, context);
      if (command.verb !== 'forceRelease' || !decision.next) return decision;
      return { ...decision, next: { ...decision.next, lastToken: command.token - 1 } };
    },
  },
  'a queue that is served at random': {
    locks: (decide) => (record, command, context) => {
      if (!record || record.queue.length < 2) return decide(record, command, context);
      const by = context.now % record.queue.length;
      const queue = [...record.queue.slice(by), ...record.queue.slice(0, by)];
      return decide({ ...record, queue }, command, context);
    },
  },
  'a counter that is read, and then written': {
    database: { ignoresExpectation: ({ kind }) => kind === 'counter' },
  },
  'a history that loses one line in a hundred': {
    database: { losesHistory: (line) => line % 100 === 0 },
  },
  'an unknown outcome that is answered as a refusal': {
    engine: (engine) => ({
      ...bound(engine),
      acquire: (key, ask, wait) =>
        engine.acquire(key, ask, wait).catch((error) => {
          if (!(error instanceof LockyardError) || error.reason !== 'UNKNOWN') throw error;
          return { outcome: 'held', holders: [], queueLength: 0, retryAfterMs: 50 };
        }),
    }),
  },
  'a wait that goes on until the lock is granted': {
    engine: (engine) => ({
      ...bound(engine),
      acquire: async (key, ask, wait) => {
        for (;;) {
          const answer = await engine.acquire(key, ask, wait);
          if (ask.request.remembered || answer.outcome !== 'timeout') return answer;
        }
      },
    }),
  },
  'a set that may be granted in part': { database: { splitsMultiLocks: true } },
  'a swap that is won by its rev alone': { database: { comparesRevAlone: true } },
  'a renewal whose swap does not compare its deadline': {
    locks: (decide) => (record, command, context) => {
      const decision = decide(record, command, context);
      if (command.verb !== 'renew') return decision;
      return { ...decision, expect: { past: 0, ahead: Number.POSITIVE_INFINITY } };
    },
  },
  'a refusal from a remembered record': { store: cacheReads },
  'a step that is refused by the value of a second ago': { counters: refuseByEarlierValue },
  'a wait that times out too early': {
    locks: (decide) => (record, command, context) =>
      decide(
        record,
        command.verb === 'acquire'
          ? { ...command, waitMs: Math.floor(command.waitMs / 2) }
          : command,
        context,
      ),
  },
  'a cancel that leaves its place in the queue': {
    locks: (decide) => (record, command, context) => {
      const decision = decide(record, command, context);
      if (command.verb !== 'cancel' || outcomeOf(decision) !== 'cancelled') return decision;
      return {
        ...decision,
        next: null,
        events: [],
        storedAnswers: [],
        extensions: [],
        handOffs: [],
        timeouts: [],
      };
    },
  },
  'a tail that skips a gap in the history': {
    tail: (source) => {
      let end = 0;
      return {
        async poll() {
          const rows = await source.historyAfter(end, 200);
          end = rows.at(-1)?.id ?? end;
          return rows;
        },
      };
    },
  },
};

type Locks = NonNullable<Flaws['locks']>;

function countTokensByProcess(decide: Parameters<Locks>[0]): ReturnType<Locks> {
  const counters = new Map<string, number>();
  return (record, command, context) => {
    const decision = decide(record, command, context);
    const granted = decision.events.find(({ kind }) => kind === 'granted') as
      | { token: number }
      | undefined;
    if (!granted || !decision.next) return decision;
    const counter = (counters.get(context.process) ?? 0) + 1;
    counters.set(context.process, counter);
    const { expect, ...rest } = decision;
    const text = JSON.stringify(rest).replaceAll(String(granted.token), String(2 ** 41 + counter));
    return { expect, ...JSON.parse(text) };
  };
}

type Counters = NonNullable<Flaws['counters']>;

function refuseByEarlierValue(decide: Parameters<Counters>[0]): ReturnType<Counters> {
  let kept: { at: number; record: Parameters<typeof decide>[0] } | null = null;
  return (record, command, context) => {
    const { now } = context;
    if (!kept || now - kept.at > 1_000) kept = { at: now, record };
    const decision = decide(record, command, context);
    if (command.verb !== 'add' || outcomeOf(decision) !== 'applied') return decision;
    const refused = decide(kept.record, command, context);
    return outcomeOf(refused) === 'outOfBounds' ? refused : decision;
  };
}

/**
 * Every hold is written without an end, and a second command sets the end, unless the process dies
 * in between.
 */
function setLeaseLater(
  honest: Parameters<NonNullable<Flaws['store']>>[0],
  { world, owner }: SimProcess,
) {
  const store: typeof honest = Object.create(honest);
  const endless = (change: Change): Change => {
    const isGrant = change.events.some(({ kind }) => kind === 'granted');
    if (!isGrant || change.key.kind) return change;
    const stored = { rev: change.rev, writer: change.writer, head: change.head, queue: '' };
    const { record } = decodeRecord(stored);
    const holds = record.holds.map((hold) => ({ ...hold, expiresAt: hold.expiresAt + 3_600_000 }));
    const { head } = encodeRecord({ ...record, holds }, null);
    world.scheduler.after(20, owner, () => {
      const expect = { rev: change.rev, writer: change.writer };
      const last = { ...change, expect, rev: change.rev + 1, writer: world.newText(), queue: null };
      const [event] = change.events as LockEvent[];
      const events = event ? [{ ...event, kind: 'extended' as const, rev: last.rev }] : [];
      const plain = { events, storedAnswers: [], extensions: [], unanswered: [] };
      void honest.swap([{ ...last, ...plain }]).catch(() => undefined);
    });
    return { ...change, head };
  };
  store.swap = (changes) => honest.swap(changes.map(endless));
  return store;
}

/** Answers reads from memory while it assumes that nothing has changed. */
function cacheReads(honest: Parameters<NonNullable<Flaws['store']>>[0], { world }: SimProcess) {
  const store: typeof honest = Object.create(honest);
  const kept = new Map<string, { at: number; result: ReadResult }>();
  store.read = async (...[keys, requestKeys]: Parameters<RecordStore['read']>) => {
    const id = JSON.stringify([keys, requestKeys]);
    const known = kept.get(id);
    if (known && world.scheduler.now - known.at < 300) return known.result;
    const result = await honest.read(keys, requestKeys);
    kept.set(id, { at: world.scheduler.now, result });
    return result;
  };
  return store;
}

type Engine = Parameters<NonNullable<Flaws['engine']>>[0];

const ENGINE_KEYS: (keyof Engine)[] = [
  'acquire',
  'run',
  'count',
  'rememberedAnswer',
  'health',
  'clockAtLeast',
  'cachedLock',
  'drain',
  'close',
  'backend',
  'multiLocks',
];

/** The engine's methods, bound to it, so that they can be called separately. */
function bound(engine: Engine): Engine {
  return new Proxy({} as Engine, {
    get: (_, name: keyof Engine) => {
      const part = engine[name];
      return typeof part === 'function' ? part.bind(engine) : part;
    },
    ownKeys: () => ENGINE_KEYS,
    getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
  });
}
