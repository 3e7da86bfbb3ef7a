import {
  askControlDatabase,
  dataLoss,
  type FoundIncarnation,
  type IncarnationRow,
  isClockSetBack,
} from '../../incarnation/incarnation-row';
import type { StoreIncarnation } from '../../incarnation/store-incarnation';
import { StoreError } from '../../record-store';
import { chunkIn, type GuardedConnection } from '../client/guarded-connection';
import { CODE, exists, getChildren, getData, ZookeeperRefusal } from '../client/wire-calls';
import type { ZookeeperLimits } from '../zookeeper-layout';
import { type Marker, markerData, readMarker } from './marker';
import { recoverZookeeper } from './recover-zookeeper';

const ask = <T>(work: () => Promise<T>) => askControlDatabase('ZooKeeper', work);

/** How often another process may win the race before a connection is given up. */
const TRIES = 5;

/** The only run: ZooKeeper writes to disk before it answers, so its restarts do not matter. */
const WHOLE = 'whole';

interface Found extends FoundIncarnation {
  now: number;
  marker: Marker | null;
  /** Whether every parent znode exists. */
  isComplete: boolean;
}

/**
 * Admits a connection only after ZooKeeper has shown that it has lost nothing: the same incarnation
 * as in the control database, a heartbeat that is not behind, and every bucket.
 *
 * After a data loss, one process raises the epoch, and all processes bring what is left into a new
 * incarnation: see `recoverZookeeper`. Until that is done, no process reads or writes.
 */
export class ZookeeperGuard {
  private marker: Marker | null = null;

  constructor(
    private readonly incarnation: StoreIncarnation,
    private readonly limits: ZookeeperLimits,
  ) {}

  /** @throws StoreError with the reason why no lock may be stored there */
  async admit(connection: GuardedConnection): Promise<void> {
    await connection.layout.prepare(connection);
    for (let tries = 0; tries < TRIES; tries += 1) {
      const row = await ask(() => this.incarnation.read());
      const seen = await this.inspect(connection);
      if (await this.check(connection, row, seen)) return;
    }
    throw new StoreError('ZooKeeper keeps losing data.', 'no');
  }

  /**
   * Writes a heartbeat to ZooKeeper and then to the control database, so that an older copy of
   * ZooKeeper can be recognised. If another process has just done so, its heartbeat is adopted.
   */
  async writeHeartbeat(connection: GuardedConnection): Promise<void> {
    const { marker } = this;
    if (marker === null) return;
    const { incarnation, version, epoch } = marker;
    const heartbeat = marker.heartbeat + 1;
    const path = connection.layout.marker(incarnation);
    const data = markerData(heartbeat, epoch);
    const written = await connection.write([{ kind: 'set', path, data, version }]);
    if (written.applied) {
      this.marker = { ...marker, heartbeat, version: written.done[0]?.stat?.version ?? 0 };
      if (this.incarnation.isClockSetBack(written.at)) throw connection.changed();
    } else if (written.code === CODE.badVersion) {
      await connection.tick();
      this.marker = await readMarker(connection, incarnation);
    } else {
      throw new ZookeeperRefusal(written.code);
    }
    void this.recordHeartbeat(connection, incarnation, this.marker?.heartbeat ?? 0);
  }

  /** False: another process was faster, so everything must be checked again. */
  private async check(
    connection: GuardedConnection,
    row: IncarnationRow,
    seen: Found,
  ): Promise<boolean> {
    const isInRecovery = row.incarnation !== null && row.runId === null;
    // This process stalled since it read the row, or the control database was restored.
    const isLate = (seen.marker?.epoch ?? 0) > row.epoch;
    if (isInRecovery && !isLate) return this.recover(connection, row);
    const back = isClockSetBack(row, seen.now) ? 'clock' : null;
    const what = dataLoss(row, seen) ?? (seen.isComplete ? back : 'records');
    if (row.incarnation !== null && what === null) {
      return this.enter(connection, row.incarnation, row.epoch);
    }
    const { now, incarnation, marker } = seen;
    const loss = what && { what, now, epochAbove: marker?.epoch ?? 0, incarnation };
    const begun = await ask(() => this.incarnation.begin(row, loss));
    return begun.runId === null && this.recover(connection, begun);
  }

  /** Reads nothing that is older than any answer given before. */
  private async inspect(connection: GuardedConnection): Promise<Found> {
    const { layout } = connection;
    const now = await connection.tick();
    const asked = layout.parents().map((path) => connection.ask(exists(path)));
    const [marks, generation, ...parents] = await Promise.all([
      connection.ask(getChildren(layout.markers)),
      connection.ask(getData(layout.generation)),
      ...asked,
    ]);
    const buckets = new Set(layout.recordBuckets(false));
    const hasRecords = layout
      .parents()
      .some((path, i) => buckets.has(path) && (parents[i]?.children ?? 0) > 0);
    const chunk =
      generation && (await connection.ask(exists(layout.chunk(chunkIn(generation.data)))));
    const [incarnation] = marks?.names ?? [];
    const marker = incarnation === undefined ? null : await readMarker(connection, incarnation);
    return {
      incarnation: marker?.incarnation ?? null,
      heartbeat: marker?.heartbeat ?? -1,
      hasRecords,
      now,
      marker,
      isComplete: chunk !== null && parents.every((stat) => stat !== null),
    };
  }

  private async recover(
    connection: GuardedConnection,
    { incarnation, epoch }: IncarnationRow,
  ): Promise<boolean> {
    if (incarnation === null) return false;
    const started = { incarnation, epoch, data: markerData(0, epoch) };
    await recoverZookeeper(connection, this.limits, this.incarnation, started);
    const isOurs = await ask(() => this.incarnation.recordRun(incarnation, { runId: WHOLE }, null));
    return isOurs && this.enter(connection, incarnation, epoch);
  }

  /** @param epoch that of this incarnation: another process may have raised the epoch since */
  private async enter(
    connection: GuardedConnection,
    incarnation: string,
    epoch: number,
  ): Promise<boolean> {
    this.marker = await readMarker(connection, incarnation);
    if (this.marker === null) return false;
    await connection.enter({ incarnation, epoch });
    return true;
  }

  /** If the control database is not responding, the next heartbeat will do. */
  private async recordHeartbeat(
    connection: GuardedConnection,
    incarnation: string,
    heartbeat: number,
  ): Promise<void> {
    try {
      if (!(await this.incarnation.recordHeartbeat(incarnation, heartbeat))) connection.close();
    } catch {}
  }
}
