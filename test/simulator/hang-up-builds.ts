import { waiterOf } from '@/server/core/lock/queue';
import type { LockEngine } from '@/server/engine/lock-engine';
import type { Flaws } from './sim-world';

/** Builds that are broken in what they do with a caller that hangs up. */
export const HANG_UP_BUILDS: Record<string, Flaws> = {
  'a wait that continues although its caller has hung up': {
    engine: (engine) => {
      const acquire: LockEngine['acquire'] = (key, ask, { holdRequestMs }) =>
        engine.acquire(key, ask, { holdRequestMs });
      return Object.assign(Object.create(engine) as LockEngine, { acquire });
    },
  },
  'a grant that is kept although its caller has hung up': {
    engine: (engine) => {
      const acquire: LockEngine['acquire'] = (key, ask, { signal, ...wait }) => {
        const line = signal && AbortSignal.any([signal]);
        // Its abort event arrives, but the signal never reports that it is aborted.
        if (line) Object.defineProperty(line, 'aborted', { value: false });
        return engine.acquire(key, ask, line ? { ...wait, signal: line } : wait);
      };
      return Object.assign(Object.create(engine) as LockEngine, { acquire });
    },
  },
  'a hang-up that costs a caller its place although it has asked again': {
    locks: (decide) => (record, command, context) => {
      if (command.verb !== 'detach' || !record) return decide(record, command, context);
      const process = waiterOf(record, command.request.key)?.process ?? context.process;
      return decide(record, { ...command, isRefused: true }, { ...context, process });
    },
  },
  'a hang-up that shortens a lease although its caller has asked again': {
    locks: (decide) => (record, command, context) => {
      if (command.verb !== 'detach' || !record) return decide(record, command, context);
      const holds = record.holds.map((hold) => ({ ...hold, isUnclaimed: true }));
      return decide({ ...record, holds }, { ...command, hungUp: true }, context);
    },
  },
  'a wait for several locks that continues although its caller has hung up': {
    engine: (engine) => {
      const { multiLocks } = engine;
      const acquire: LockEngine['multiLocks']['acquire'] = (namespace, ask, { holdRequestMs }) =>
        multiLocks.acquire(namespace, ask, { holdRequestMs });
      const without = Object.assign(Object.create(multiLocks), { acquire });
      return Object.assign(Object.create(engine) as LockEngine, { multiLocks: without });
    },
  },
};
