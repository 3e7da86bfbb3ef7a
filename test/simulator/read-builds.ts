import type { InspectAnswer } from '@/server/contract/lock/answers';
import { nextToken } from '@/server/core/fencing-token';
import { inspectRecord, isValidToken } from '@/server/core/lock/lock-answers';
import { holdOf } from '@/server/core/lock/lock-record';
import type { LockEngine } from '@/server/engine/lock-engine';
import type { MonitoredBackend } from '@/server/monitoring/projection/monitored-backend';
import type { Flaws } from './sim-world';
import type { WorldKind } from './world-kind';

/** Builds that are broken in what they answer to a caller that only reads. */
export const READ_BUILDS: Record<string, Flaws> = {
  'a lock that is read from the memory of a process': {
    engine: (engine) => {
      const run: LockEngine['run'] = async (key, command) => {
        const known = command.verb === 'inspect' ? engine.cachedLock(key, 0) : null;
        if (!known) return engine.run(key, command);
        return inspectRecord(known.record, known.now, 1) as never;
      };
      return Object.assign(Object.create(engine) as LockEngine, { run });
    },
  },
  'a token that is checked in the memory of a process': {
    engine: (engine) => {
      const run: LockEngine['run'] = async (key, command) => {
        const known = command.verb === 'check' ? engine.cachedLock(key, 0) : null;
        if (!known || command.verb !== 'check') return engine.run(key, command);
        return { valid: isValidToken(known.record, command.token, known.now) } as never;
      };
      return Object.assign(Object.create(engine) as LockEngine, { run });
    },
  },
  'a token that is valid although its holder has released the lock': {
    locks: (decide) => (record, command, context) => {
      const decision = decide(record, command, context);
      if (command.verb !== 'check') return decision;
      return { ...decision, answer: { valid: !!record && !!holdOf(record, command.token) } };
    },
  },
  'a token that is valid until the next grant': {
    locks: (decide) => (record, command, context) => {
      const decision = decide(record, command, context);
      if (command.verb !== 'check') return decision;
      return { ...decision, answer: { valid: record?.lastToken === command.token } };
    },
  },
  'a lowest valid token of a free lock that skips the next one': lowestTokensBy(2),
  'a lowest valid token of a free lock that is the last one': lowestTokensBy(-1),
  'a read that does not show a freeze': {
    locks: (decide) => (record, command, context) =>
      decide(
        command.verb === 'inspect' && record ? { ...record, frozen: null } : record,
        command,
        context,
      ),
  },
  'a read in which the first in the queue is missing': {
    locks: (decide) => (record, command, context) => {
      if (command.verb !== 'inspect' || !record) return decide(record, command, context);
      return decide({ ...record, queue: record.queue.slice(1) }, command, context);
    },
  },
};

/** The same by the kind of world that can reveal it. */
export const READ_BUILDS_BY_KIND: Partial<Record<WorldKind, Record<string, Flaws>>> = {
  lossy: {
    'a lost lock that is read as before while its store does not answer': readAgainFor(
      (read) => read === null,
    ),
    'a lowest valid token of a lost lock in the epoch before the loss': {
      locks: (decide) => (record, command, context) =>
        decide(record, command, command.verb === 'inspect' ? { ...context, epoch: 1 } : context),
    },
  },
  crowded: {
    'a deleted lock that is read as before': readAgainFor((read) => read?.rev === 0),
    'a lowest valid token of a lock without a record that is above its first one': {
      locks: (decide) => (record, command, context) => {
        const decision = decide(record, command, context);
        const answer = decision.answer as InspectAnswer;
        if (command.verb !== 'inspect' || record) return decision;
        const minValidToken = nextToken(0, context.epoch, context.now + 60_000);
        return { ...decision, answer: { ...answer, minValidToken } };
      },
    },
  },
  audited: {
    'a lock that is read as it was a second ago': readAgainFor(
      (_, agoMs) => agoMs > 1_000 && agoMs < 3_000,
    ),
  },
};

/**
 * A build that answers a read of a lock as the last one before.
 *
 * @param isAnsweredAgain for the present answer, null if it is an error, and the age of that one
 */
function readAgainFor(
  isAnsweredAgain: (read: InspectAnswer | null, agoMs: number) => boolean,
): Flaws {
  return {
    engine: (engine, { clock }) => {
      const last = new Map<string, { answer: InspectAnswer; at: number }>();
      const run: LockEngine['run'] = async (key, command) => {
        if (command.verb !== 'inspect') return engine.run(key, command);
        const asked = engine.run(key, command);
        const answer = (await asked.catch(() => null)) as InspectAnswer | null;
        const before = last.get(key.name);
        if (before && isAnsweredAgain(answer, clock.monotonic() - before.at)) {
          return before.answer as never;
        }
        if (answer) last.set(key.name, { answer, at: clock.monotonic() });
        return asked;
      };
      return Object.assign(Object.create(engine) as LockEngine, { run });
    },
  };
}

/** The same for lists. */
export const LIST_BUILDS: Record<string, Flaws> = {
  'a list that claims to be new': { list: (answer) => ({ ...answer, ageMs: 0 }) },
  'a list that lacks its last lock': {
    list: (answer) => ({ ...answer, locks: answer.locks.slice(0, -1) }),
  },
};

/** The same for lists, by the kind of world that can reveal it. */
export const LIST_BUILDS_BY_KIND: Partial<Record<WorldKind, Record<string, Flaws>>> = {
  sharded: {
    'a list of the first shard only': { monitored: (shards) => shards.slice(0, 1) },
  },
  lossy: {
    'a list of a store that has lost data that claims to be new': {
      list: (answer) => ({ ...answer, ageMs: 0 }),
    },
  },
  audited: {
    'a list that was read before a process was stopped and claims to be new': {
      list: (answer) => ({ ...answer, ageMs: 0 }),
    },
  },
  crowded: {
    'a list that lacks the names created since it was first read': {
      monitored: (backends) =>
        backends.map((backend) => ({ ...backend, store: withoutCreations(backend.store) })),
    },
  },
};

/** A store whose history does not show the creation of a record. */
function withoutCreations(honest: MonitoredBackend['store']): MonitoredBackend['store'] {
  const store: typeof honest = Object.create(honest);
  store.historyAfter = async (...asked) => {
    const rows = await honest.historyAfter(...asked);
    const isLater = (change: object) => !('expect' in change) || change.expect !== null;
    return rows.map((row) => ({ ...row, changes: row.changes.filter(isLater) }));
  };
  return store;
}

function lowestTokensBy(tokens: number): Flaws {
  return {
    locks: (decide) => (record, command, context) => {
      const decision = decide(record, command, context);
      const answer = decision.answer as InspectAnswer;
      if (command.verb !== 'inspect' || answer.holders.length > 0) return decision;
      return { ...decision, answer: { ...answer, minValidToken: answer.minValidToken + tokens } };
    },
  };
}
