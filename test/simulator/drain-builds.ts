import type { LockEngine } from '@/server/engine/lock-engine';
import type { Flaws } from './sim-world';

/** Builds that are broken in how a process shuts down. Only a world with shutdowns reveals it. */
export const DRAIN_BUILDS: Record<string, Flaws> = {
  'a process that ends the waits of its callers when it shuts down': {
    engine: (engine) => {
      let isDraining = false;
      const drain = () => {
        isDraining = true;
        return engine.drain();
      };
      const acquire: LockEngine['acquire'] = async (...asked) => {
        const answer = await engine.acquire(...asked);
        if (!isDraining || answer.outcome !== 'queued') return answer;
        return { outcome: 'timeout', holders: [], queueLength: 0, retryAfterMs: 50 };
      };
      return Object.assign(Object.create(engine) as LockEngine, { acquire, drain });
    },
  },
};
