import type { Flaws } from './sim-world';

/** Builds that answer watches incorrectly. Only a world with a watcher can reveal it. */
export const WATCH_BUILDS: Record<string, Flaws> = {
  'a watch that loses one change in ten': {
    deletions: (honest) => {
      const store: typeof honest = Object.create(honest);
      store.historyAfter = async (...asked) => {
        const rows = await honest.historyAfter(...asked);
        return rows.map((row) => (row.id % 10 === 0 ? { ...row, changes: [] } : row));
      };
      return store;
    },
  },
  'a watch that resumes one change late': {
    version: (honest) => honest + 1,
  },
  'a watch that resumes at another process with later changes only': {
    position: (since) => ({ ...since, readUpTo: since.shownAt + 5_000 }),
  },
  'a watch that resumes at a process that has read less': {
    position: (since) => ({ ...since, shownAt: 0 }),
  },
};

/** The same, where the locks are spread over shards. */
export const SHARDED_WATCH_BUILDS: Record<string, Flaws> = {
  'a watch of the first shard only': { monitored: (shards) => shards.slice(0, 1) },
  'a watch over shards that resumes at another process with later changes only': {
    position: (since) => ({ ...since, readUpTo: since.shownAt + 5_000 }),
  },
};
