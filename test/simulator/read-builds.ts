import type { InspectAnswer } from '@/server/contract/lock/answers';
import { inspectRecord, isValidToken } from '@/server/core/lock/lock-answers';
import { holdOf } from '@/server/core/lock/lock-record';
import type { LockEngine } from '@/server/engine/lock-engine';
import type { Flaws } from './sim-world';

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

/** The same for lists, which only a world with a watcher can reveal. */
export const LIST_BUILDS: Record<string, Flaws> = {
  'a list that claims to be new': { list: (answer) => ({ ...answer, ageMs: 0 }) },
  'a list that lacks its last lock': {
    list: (answer) => ({ ...answer, locks: answer.locks.slice(0, -1) }),
  },
};

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
