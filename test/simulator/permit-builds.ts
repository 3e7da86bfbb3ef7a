import type { Flaws } from './sim-world';

/** Builds that are broken in how they count permits. Only a world with permits can reveal it. */
export const PERMIT_BUILDS: Record<string, Flaws> = {
  'one permit too many': {
    locks: (decide) => (record, command, context) => {
      const capacity = record?.capacity;
      if (!capacity || command.verb === 'setCapacity') return decide(record, command, context);
      const inForce = capacity.inForce + 1;
      const before = { ...record, capacity: { ...capacity, inForce } };
      const decision = decide(before, command, context);
      if (decision.next?.capacity?.inForce !== inForce) return decision;
      return { ...decision, next: { ...decision.next, capacity } };
    },
  },
  'a large request that is overtaken': {
    locks: (decide) => (record, command, context) => {
      const isSmall = command.verb === 'acquire' && command.permits === 1;
      if (!isSmall || !record?.queue.length || record.offers.length > 0) {
        return decide(record, command, context);
      }
      const decision = decide({ ...record, queue: [] }, command, context);
      const { outcome } = decision.answer as { outcome?: string };
      if (outcome !== 'granted' || !decision.next) return decide(record, command, context);
      return { ...decision, next: { ...decision.next, queue: record.queue } };
    },
  },
};
