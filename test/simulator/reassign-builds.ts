import type { Flaws } from './sim-world';

/** Builds that are broken in how an operator reassigns a lock. */
export const REASSIGN_BUILDS: Record<string, Flaws> = {
  'a reassignment that costs those ahead of the chosen waiter their places': {
    locks: (decide) => (record, command, context) => {
      const decision = decide(record, command, context);
      if (command.verb !== 'reassign' || !decision.next) return decision;
      const { outcome } = decision.answer as { outcome: string };
      if (outcome !== 'reassigned') return decision;
      const queue = decision.next.queue.filter(({ ticket }) => ticket >= command.ticket);
      return { ...decision, next: { ...decision.next, queue } };
    },
  },
  'a reassignment that grants the lock beside the hold that it should end': {
    locks: (decide) => (record, command, context) => {
      const decision = decide(record, command, context);
      const { outcome } = decision.answer as { outcome?: string };
      if (outcome !== 'reassigned' || !decision.next || command.verb !== 'reassign') {
        return decision;
      }
      const seen = record?.holds.filter(({ token }) => token === command.token) ?? [];
      return { ...decision, next: { ...decision.next, holds: [...seen, ...decision.next.holds] } };
    },
  },
};
