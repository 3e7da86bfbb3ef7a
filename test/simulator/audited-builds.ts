import type { Flaws } from './sim-world';

/** Builds that can apply an action after its intent was closed, each broken in one way. */
export const AUDITED_BUILDS: Record<string, Flaws> = {
  'an action that is applied however late it arrives': {
    locks: (decide) => (record, command, context) => {
      if (!('latestAt' in command)) return decide(record, command, context);
      const { latestAt: _, ...unbounded } = command;
      return decide(record, unbounded as typeof command, context);
    },
  },
};
