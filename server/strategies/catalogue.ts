/** What a strategy runs on. `sql` is MySQL or MariaDB; without one, embedded SQLite. */
export type StrategyNeed = 'sql' | 'mysql' | 'redis' | 'redis quorum' | 'zookeeper';

/** One entry of the catalogue. */
export interface CatalogueEntry {
  id: string;
  /** `1` to `20`, `F` for the wrong ways, empty for the service. */
  number: string;
  title: string;
  family: string;
  needs: readonly StrategyNeed[];
  kind: 'lock' | 'counter' | 'wrong way' | 'service';
  /**
   * `Strong`: holds whatever clocks and pauses do. `Timed`: holds while no pause is longer than the
   * lease. `None`: promises nothing.
   */
  consistency: 'Strong' | 'Timed' | 'None';
  /** Path in the repository. */
  source: string;
  summary: string;
}

type Defaults = Pick<CatalogueEntry, 'needs' | 'kind' | 'consistency'> & { number?: string };
type Listed = Pick<CatalogueEntry, 'id' | 'title' | 'summary'> &
  Partial<Defaults> & { file: string };

/** The entries of one section, which share `defaults`. */
function section(family: string, defaults: Defaults, listed: Listed[]): CatalogueEntry[] {
  return listed.map(({ file, ...entry }) => ({
    family,
    number: '',
    ...defaults,
    ...entry,
    source: `server/${file}.ts`,
  }));
}

const wrongWays = section(
  'Wrong ways',
  { number: 'F', needs: ['sql'], kind: 'wrong way', consistency: 'None' },
  [
    {
      id: 'value-written-back',
      title: 'Computed in memory, written back',
      file: 'strategies/wrong-ways/value-written-back',
      summary: 'Reads the quantity, subtracts in memory and writes the result: updates get lost.',
    },
    {
      id: 'checked-in-memory',
      title: 'Checked in memory, subtracted in SQL',
      file: 'strategies/wrong-ways/checked-in-memory',
      summary:
        'Checks a quantity that is old by the time SQL subtracts: the stock goes below zero.',
    },
    {
      id: 'mutex-before-commit',
      title: 'Mutex released before the commit',
      file: 'strategies/wrong-ways/mutex-before-commit',
      summary: 'The next thread reads before the first has committed, and sells the same unit.',
    },
  ],
);

const sessions = section(
  'Row locks held by a database session',
  { needs: ['mysql'], kind: 'lock', consistency: 'Strong' },
  [
    {
      id: 'lock-resource',
      number: '1',
      title: 'Lock resource by unique key',
      file: 'strategies/sessions/lock-resource',
      summary: 'Each order first creates its row; a duplicate key means that the row exists.',
    },
    {
      id: 'row-lock',
      number: '2',
      title: 'Session row lock',
      file: 'strategies/sessions/session-locks',
      summary: 'SELECT … FOR UPDATE in an open transaction; commit or rollback releases it.',
    },
    {
      id: 'with-row-lock',
      number: '3',
      title: 'Named static rows with a callback',
      file: 'strategies/sessions/with-row-lock',
      summary: 'One row for each kind of business object; begin, lock, work, commit.',
    },
    {
      id: 'sharded-row-lock',
      number: '4',
      title: 'Sharded data sources',
      file: 'strategies/sessions/sharded-row-lock',
      summary: 'A hash of the name selects one of several databases, which keeps its lock.',
    },
    {
      id: 'row-locks',
      number: '5',
      title: 'Several rows in sorted order',
      file: 'strategies/sessions/with-row-locks',
      summary: 'All names or none, taken in one order, so that two callers cannot deadlock.',
    },
  ],
);

const tables = section('Lock tables', { needs: ['mysql'], kind: 'lock', consistency: 'Timed' }, [
  {
    id: 'naive-table-lock',
    number: '6',
    title: 'Lock table, naive',
    file: 'strategies/tables/naive-table-lock',
    summary: 'Select for update, then insert or update: gap locks deadlock where rows are missing.',
  },
  {
    id: 'central-table-lock',
    number: '7',
    title: 'Lock table, one central lock',
    file: 'strategies/tables/central-table-lock',
    summary: 'Every change locks one central row first: no deadlocks, and no concurrency either.',
  },
  {
    id: 'segmented-table-lock',
    number: '8',
    title: 'Lock table, 100 segments',
    file: 'strategies/tables/segmented-table-lock',
    summary: 'The central lock split in 100 by crc32 of the name.',
  },
  {
    id: 'holder-table-lock',
    number: '9',
    title: 'Lock table with holder',
    needs: ['sql'],
    consistency: 'Strong',
    file: 'strategies/tables/holder-table-lock',
    summary: 'Insert, compare the holder, delete by key and holder. It has no lease.',
  },
  {
    id: 'bounded-table-counter',
    number: '10',
    title: 'Bounded counter in a table',
    needs: ['sql'],
    kind: 'counter',
    consistency: 'Strong',
    file: 'strategies/tables/bounded-table-counter',
    summary: 'One statement subtracts if the bound allows it, and otherwise changes no row.',
  },
]);

const redis = section('Redis', { needs: ['redis', 'sql'], kind: 'lock', consistency: 'Timed' }, [
  {
    id: 'setnx-expire-lock',
    number: '11',
    title: 'SETNX, then EXPIRE',
    consistency: 'None',
    file: 'strategies/redis/setnx-expire-lock',
    summary: 'A crash between the two commands locks for ever; two callers can delete one lock.',
  },
  {
    id: 'set-nx-px-lock',
    number: '12',
    title: 'SET NX PX, compare and delete',
    file: 'strategies/redis/set-nx-px-lock',
    summary: 'One command takes it with a lease; a script deletes it only for its owner.',
  },
  {
    id: 'locally-counted-lock',
    number: '13',
    title: 'Reentrant, counted locally',
    file: 'strategies/redis/locally-counted-lock',
    summary: "Lock 12 with a count in the caller's context, which an expired key does not correct.",
  },
  {
    id: 'hash-counted-lock',
    number: '14',
    title: 'Reentrant, counted in a hash',
    file: 'strategies/redis/hash-counted-lock',
    summary: 'The count is stored beside the owner in Redis; a release has three answers.',
  },
  {
    id: 'watchdog-lock',
    number: '15',
    title: 'SET NX PX with a watchdog',
    file: 'strategies/redis/watchdog-lock',
    summary: 'The client renews the lease while it lives; a paused client renews nothing.',
  },
  {
    id: 'fair-queue-lock',
    number: '16',
    title: 'Fair queue',
    file: 'strategies/redis/fair-queue-lock',
    summary: 'Waiters queue in Redis, and the longest waiter is next.',
  },
  {
    id: 'shared-exclusive-lock',
    number: '16',
    title: 'Shared and exclusive',
    file: 'strategies/redis/shared-exclusive-lock',
    summary: 'Many readers or one writer; the race takes it exclusively.',
  },
  {
    id: 'quorum-lock',
    number: '16',
    title: 'Quorum over three nodes',
    needs: ['redis quorum', 'sql'],
    file: 'strategies/redis/quorum-lock',
    summary: 'Held on a majority of independent nodes, if taking it was quick enough.',
  },
  {
    id: 'redis-counter',
    number: '17',
    title: 'Counter on Redis, one atomic step',
    kind: 'counter',
    file: 'strategies/redis/redis-counter',
    summary: 'A script subtracts if the floor allows it. A Redis that loses data sells again.',
  },
  {
    id: 'redis-counter-read-then-write',
    number: '17',
    title: 'Counter on Redis, read then write',
    kind: 'wrong way',
    consistency: 'None',
    file: 'strategies/redis/redis-counter',
    summary: 'The counter that should have handed out 10 prizes and handed out 14.',
  },
]);

const zookeeper = section(
  'ZooKeeper',
  { needs: ['zookeeper', 'sql'], kind: 'lock', consistency: 'Timed' },
  [
    {
      id: 'ephemeral-sequential-lock',
      number: '18',
      title: 'Ephemeral sequential nodes',
      file: 'strategies/zookeeper/ephemeral-sequential-lock',
      summary: 'The smallest number holds; each waiter watches only its predecessor.',
    },
  ],
);

const combined = section(
  'Optimistic and combined',
  { needs: ['sql'], kind: 'counter', consistency: 'Strong' },
  [
    {
      id: 'optimistic-version',
      number: '19',
      title: 'Optimistic version column',
      file: 'strategies/combined/optimistic-version',
      summary: 'Updates only if the version is the one that was read; no row means try again.',
    },
    {
      id: 'redis-in-front',
      number: '20',
      title: 'Redis in front, MySQL decides',
      needs: ['redis', 'mysql'],
      file: 'strategies/combined/redis-in-front',
      summary: "Redis refuses early and grants nothing; MySQL's commit is the step.",
    },
  ],
);

const service = section('Lockyard', { needs: ['sql'], kind: 'service', consistency: 'Strong' }, [
  {
    id: 'service-lock',
    title: 'Lockyard lock, guarded by its token',
    file: 'lab/entries/service-entries',
    summary: 'A lease with a fencing token, which the stock row compares before it is written.',
  },
  {
    id: 'service-counter',
    title: 'Lockyard counter',
    file: 'lab/entries/service-entries',
    summary: 'A counter with a floor of 0; steps that arrive together share one commit.',
  },
]);

/** Every entry, in the order in which the Lab races and shows them. */
export const catalogue: readonly CatalogueEntry[] = [
  ...wrongWays,
  ...sessions,
  ...tables,
  ...redis,
  ...zookeeper,
  ...combined,
  ...service,
];
