import { eq } from 'drizzle-orm';
import type { BackendLife } from '@/server/storage/incarnation/store-incarnation';
import type { Flaws } from './sim-world';

/**
 * Builds that are broken in what they do about a store that has lost its memory. Only such a world
 * can tell.
 */
export const FORGETFUL_BUILDS: Record<string, Flaws> = {
  'an epoch that stays as it was after a loss': {
    memory: {
      life: (honest, { db, tables: { backends } }) =>
        otherwise(honest, {
          async begin(from, seen) {
            await honest.begin(from, seen);
            await db.update(backends).set({ epoch: 1 }).where(eq(backends.id, 'default'));
            return this.read();
          },
        }),
    },
  },
  'grants that go on while a forgotten lease may last': {
    memory: {
      life: (honest) => otherwise(honest, { keepQuiet: (life) => honest.keepQuiet(life, 0) }),
    },
  },
  'leases whose length nobody keeps': {
    memory: { life: (honest) => otherwise(honest, { covers: () => true }) },
  },
  'an older copy that is taken for the present': {
    memory: {
      life: (honest) =>
        otherwise(honest, { read: async () => ({ ...(await honest.read()), beat: 0 }) }),
    },
  },
  'a memory that is taken for lost by whoever comes': {
    memory: {
      life: (honest) =>
        otherwise(honest, {
          async read() {
            const row = await honest.read();
            return { ...row, beat: row.beat + 100 };
          },
        }),
    },
  },
  'a holder that is told of its hold as if nothing had been lost': {
    locks: (decide) => (record, command, context) => {
      const decision = decide(record, command, context);
      const { outcome, by } = decision.answer as { outcome: string; by?: string };
      if (command.verb !== 'renew' || outcome !== 'lost' || by !== 'lockyard') return decision;
      const expiresAt = context.now + command.leaseMs;
      const answer = { outcome: 'renewed', rev: 1, expiresAt, expiresInMs: command.leaseMs };
      return { ...decision, answer };
    },
  },
  'a server that says that it flushes, and does not': { memory: { saysFlushed: true } },
  'a run that is trusted by the settings of the next': {
    memory: {
      life: (honest) =>
        otherwise(honest, { read: async () => ({ ...(await honest.read()), isDurable: true }) }),
    },
  },
  'a history of writes that is not compared': { memory: { hidesFollowing: true } },
};

/** The same life, but for some of what it does. */
function otherwise(
  honest: BackendLife,
  parts: Partial<BackendLife> & ThisType<BackendLife>,
): BackendLife {
  return Object.assign(Object.create(honest), parts);
}
