import { eq } from 'drizzle-orm';
import type { StoreIncarnation } from '@/server/storage/incarnation/store-incarnation';
import { LOSSY_BACKEND } from './lossy-store';
import type { Flaws } from './sim-world';

/**
 * Builds that handle a store that has lost its memory wrongly. Only such a world can reveal it.
 */
export const LOSSY_BUILDS: Record<string, Flaws> = {
  'an epoch that stays as it was after a loss': {
    lossyStore: {
      incarnation: (honest, { db, tables: { backends } }) =>
        withOverrides(honest, {
          async begin(from, seen) {
            await honest.begin(from, seen);
            await db.update(backends).set({ epoch: 1 }).where(eq(backends.id, LOSSY_BACKEND));
            return this.read();
          },
        }),
    },
  },
  'grants that continue while a lost lease may last': {
    lossyStore: {
      incarnation: (honest) =>
        withOverrides(honest, { startQuietPeriod: (life) => honest.startQuietPeriod(life, 0) }),
    },
  },
  'leases whose length is not recorded': {
    lossyStore: {
      incarnation: (honest) => withOverrides(honest, { hasRecordedLease: () => true }),
    },
  },
  'an older copy that is treated as the present': {
    lossyStore: {
      incarnation: (honest) =>
        withOverrides(honest, { read: async () => ({ ...(await honest.read()), heartbeat: 0 }) }),
    },
  },
  'data that every process treats as lost': {
    lossyStore: {
      incarnation: (honest) =>
        withOverrides(honest, {
          async read() {
            const row = await honest.read();
            return { ...row, heartbeat: row.heartbeat + 100 };
          },
        }),
    },
  },
  'a holder that is answered as if nothing had been lost': {
    locks: (decide) => (record, command, context) => {
      const decision = decide(record, command, context);
      const { outcome, by } = decision.answer as { outcome: string; by?: string };
      if (command.verb !== 'renew' || outcome !== 'lost' || by !== 'lockyard') return decision;
      const expiresAt = context.now + command.leaseMs;
      const answer = { outcome: 'renewed', rev: 1, expiresAt, expiresInMs: command.leaseMs };
      return { ...decision, answer };
    },
  },
  'a server that reports that it flushes, but does not': { lossyStore: { saysFlushed: true } },
  'a run of Redis that is trusted by the settings of the next': {
    lossyStore: {
      incarnation: (honest) =>
        withOverrides(honest, {
          read: async () => ({ ...(await honest.read()), isDurable: true }),
        }),
    },
  },
  'a replication history that is not compared': { lossyStore: { hidesFollowing: true } },
};

/** An incarnation of a store in which some methods are replaced. */
function withOverrides(
  honest: StoreIncarnation,
  parts: Partial<StoreIncarnation> & ThisType<StoreIncarnation>,
): StoreIncarnation {
  return Object.assign(Object.create(honest), parts);
}
