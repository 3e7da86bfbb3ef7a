import type { Database } from '@/db/database';
import type { NamespacePolicy } from '../contract/namespace-policy';
import type { NameCount } from '../engine/names/name-count';
import type { Clock } from '../platform/clock';
import type { Log } from '../platform/log';
import { repeat } from '../platform/periodic';
import { EventHistory } from './history/event-history';
import { HistoryOpener } from './history/event-recorder';
import { FormerShard } from './history/former-shards';
import { Chores } from './maintenance/maintenance';
import { backendMetrics } from './metrics/backend-metrics';
import { eventMetrics } from './metrics/event-metrics';
import { EventTally } from './metrics/event-tally';
import { liveMetrics } from './metrics/live-metrics';
import { lockMetrics } from './metrics/lock-metrics';
import { Metrics } from './metrics/metrics';
import { nameMetrics } from './metrics/name-metrics';
import { NamespaceLabels } from './metrics/namespace-labels';
import { NameDeletion } from './names/name-deletion';
import { NamespaceRoom } from './names/namespace-capacity';
import { countGrownNamespaces } from './names/set-legacy-name-limits';
import { isRead } from './projection/board-upkeep';
import { LockBoard, type ObservedBackend } from './projection/lock-projection';
import { publicHealths, publicId } from './projection/shard-info';
import { FleetView } from './rollups/fleet-view';
import { OwnHolds } from './rollups/hold-baselines';
import { LockInsights } from './rollups/lock-insights';

const FOLLOW_EVERY_MS = 150;
const SETTLE_EVERY_MS = 500;
const CHORES_EVERY_MS = 300;
const HEAL_EVERY_MS = 10 * 60_000;
const OWN_HOLDS_EVERY_MS = 60_000;
const COUNT_AGAIN_EVERY_MS = 5_000;

export interface ObservingParts {
  backends: ObservedBackend[];
  /** Shards that keep nothing any more: what they tell of the past is recorded to its end. */
  leaving?: LeavingShard[];
  database: Database;
  clock: Clock;
  log: Log;
  processId: string;
  /** Which backend a namespace lives on; null if there is no such namespace. */
  backendOf: (namespace: string) => Promise<string | null>;
  /** What a namespace allows, as last read. */
  policyOf: (namespace: string) => NamespacePolicy;
  /** How many names each namespace has; the board counts them. */
  names: NameCount;
  /** Whether this process refuses new names for lack of memory. */
  isShortOfMemory: () => boolean;
  /** Closes audit intents whose outcome was never written. */
  resolveIntents: () => Promise<void>;
}

export interface Observing {
  board: LockBoard;
  events: EventHistory;
  insights: LockInsights;
  fleet: FleetView;
  metrics: Metrics;
  /** Whether this process does what one does for all, as far as it knows. */
  doesChores: () => boolean;
  deletion: NameDeletion;
  close(): Promise<void>;
}

/** A shard that is to keep nothing, or was emptied. */
export interface LeavingShard extends Pick<ObservedBackend, 'id'> {
  /** Null where it is named nowhere any more. */
  store: ObservedBackend['store'] | null;
  /** The backend's id, as people and programs know it. */
  of: string;
}

/**
 * Starts what watches the locks: one tail a backend, the board, and the chores where this process
 * has them.
 */
export function startObserving(parts: ObservingParts): Observing {
  const { backends, leaving = [], database, clock, log, processId } = parts;
  const { backendOf, policyOf, names, isShortOfMemory, resolveIntents } = parts;
  const shown = [
    ...backends.map((backend) => ({ id: backend.id, shownAs: publicId(backend) })),
    ...leaving.map(({ id, of }) => ({ id, shownAs: of })),
  ];
  const ids = shown.map(({ id }) => id);
  const ownHolds = new OwnHolds(database, shown, clock);
  const ownHoldOf = (id: string) => ownHolds.of(id);
  const board = new LockBoard({
    backends,
    clock,
    backendOf,
    policyOf,
    ownHoldOf,
    names,
    processId,
  });
  const insights = new LockInsights(database, (backend) =>
    shown.flatMap(({ id, shownAs }) => (shownAs === backend ? [id] : [])),
  );
  const tallies = new Map(ids.map((id) => [id, new EventTally()]));
  const openers = [...backends, ...leaving].map(({ id, store }) => {
    const tally = tallies.get(id) ?? new EventTally();
    return store
      ? new HistoryOpener(database, { id, store }, clock, tally)
      : new FormerShard(database, id, clock);
  });
  const room = new NamespaceRoom({ backends, board, names, clock, log, policyOf, backendOf });
  const chores = new Chores({
    backends,
    board,
    openers,
    clock,
    log,
    processId,
    resolveIntents,
    makeRoom: () => room.turn(),
    countGrown: () =>
      countGrownNamespaces(database, names, (backend) => isRead(board, backends, backend)),
  });
  const metrics = new Metrics();
  const labels = new NamespaceLabels();
  metrics.add(async () => [
    ...lockMetrics(await board.groups(), labels),
    ...eventMetrics(
      shown.flatMap(({ id, shownAs }): [string, EventTally][] => {
        const tally = tallies.get(id);
        return tally ? [[shownAs, tally]] : [];
      }),
      labels,
    ),
    ...nameMetrics(names, policyOf, labels, isShortOfMemory()),
    ...backendMetrics(publicHealths(backends), chores.isMine),
    ...liveMetrics(board.live),
  ]);
  const quietly = (what: string) => (err: unknown) => log.debug({ err }, what);
  const firstHolds = ownHolds.refresh().catch(quietly('Own holds are not known yet.'));
  const stops = [
    () => firstHolds,
    ...backends.map((backend) =>
      repeat(() => board.follow(backend), FOLLOW_EVERY_MS, quietly('The board fell behind.')),
    ),
    ...backends.map((backend) =>
      repeat(() => board.heal(backend), HEAL_EVERY_MS, quietly('The board was not healed.')),
    ),
    repeat(
      () => board.settle(),
      SETTLE_EVERY_MS,
      quietly('What time did to locks is not known yet.'),
    ),
    repeat(() => ownHolds.refresh(), OWN_HOLDS_EVERY_MS, quietly('Own holds are old.')),
    repeat(() => room.countAgain(), COUNT_AGAIN_EVERY_MS, quietly('Names were not counted.')),
    repeat(() => chores.turn(), CHORES_EVERY_MS, quietly('The chores were put off.')),
  ];
  return {
    board,
    events: new EventHistory(database),
    insights,
    fleet: new FleetView(ids, board, insights, clock),
    metrics,
    doesChores: () => chores.isMine,
    deletion: new NameDeletion({ backends, board, clock }),
    async close() {
      board.live.close();
      await Promise.all(stops.map((stop) => stop()));
      await chores.stop();
    },
  };
}
