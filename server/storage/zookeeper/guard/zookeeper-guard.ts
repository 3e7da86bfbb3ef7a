import { askControlDatabase } from '../../incarnation/ask-control-database';
import { dataLoss, type FoundIncarnation } from '../../incarnation/data-loss';
import type { IncarnationRow, StoreIncarnation } from '../../incarnation/store-incarnation';
import { StoreError } from '../../record-store';
import { chunkIn, type GuardedConnection } from '../client/guarded-connection';
import { CODE, exists, getChildren, getData, ZookeeperRefusal } from '../client/wire-calls';
import type { ZookeeperLimits } from '../client/zookeeper-limits';
import { recoverZookeeper } from './recover-zookeeper';

const ask = <T>(work: () => Promise<T>) => askControlDatabase('ZooKeeper', work);

/** How often another process may win the race before a connection is given up. */
const TRIES = 5;

/**
 * ZooKeeper writes to disk before it answers, so its runs do not matter: its data is complete or it
 * is not.
 */
const WHOLE = 'whole';

/** The mark of an incarnation, as it was last seen. */
interface Marker {
  life: string;
  version: number;
  beat: number;
  epoch: number;
}

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
    private readonly life: StoreIncarnation,
    private readonly limits: ZookeeperLimits,
  ) {}

  /** @throws StoreError with the reason why no lock may be stored there */
  async admit(line: GuardedConnection): Promise<void> {
    await line.layout.prepare(line);
    for (let tries = 0; tries < TRIES; tries += 1) {
      const row = await ask(() => this.life.read());
      const seen = await this.inspect(line);
      if (await this.check(line, row, seen)) return;
    }
    throw new StoreError('ZooKeeper changes its memory too often.', 'no');
  }

  /**
   * Writes a heartbeat to ZooKeeper and then to the control database, so that an older copy of
   * ZooKeeper can be recognised. If another process has just done so, its heartbeat is adopted.
   */
  async writeHeartbeat(line: GuardedConnection): Promise<void> {
    const { marker } = this;
    if (marker === null) return;
    const { life, version, epoch } = marker;
    const beat = marker.beat + 1;
    const path = line.layout.marker(life);
    const data = markerData(beat, epoch);
    const written = await line.write([{ kind: 'set', path, data, version }]);
    if (written.took) {
      this.marker = { ...marker, beat, version: written.done[0]?.stat?.version ?? 0 };
    } else if (written.code === CODE.badVersion) {
      await line.tick();
      this.marker = await readMarker(line, life);
    } else {
      throw new ZookeeperRefusal(written.code);
    }
    void this.recordHeartbeat(line, life, this.marker?.beat ?? 0);
  }

  /** False: another process was faster, so everything must be checked again. */
  private async check(line: GuardedConnection, row: IncarnationRow, seen: Found): Promise<boolean> {
    if (row.life !== null && row.runId === null) return this.recover(line, row);
    const what = dataLoss(row, seen) ?? (seen.isComplete ? null : 'records');
    if (row.life !== null && what === null) return this.enter(line, row.life);
    const { now, life, marker } = seen;
    const loss = what && { what, now, epochAbove: marker?.epoch ?? 0, life };
    const begun = await ask(() => this.life.begin(row, loss));
    return begun.runId === null && this.recover(line, begun);
  }

  /** Whatever is read here is no older than any answer given before. */
  private async inspect(line: GuardedConnection): Promise<Found> {
    const { layout } = line;
    const now = await line.tick();
    const asked = layout.parents().map((path) => line.ask(exists(path)));
    const [marks, generation, ...parents] = await Promise.all([
      line.ask(getChildren(layout.markers)),
      line.ask(getData(layout.generation)),
      ...asked,
    ]);
    const buckets = new Set(layout.recordBuckets(false));
    const hasRecords = layout
      .parents()
      .some((path, i) => buckets.has(path) && (parents[i]?.children ?? 0) > 0);
    const chunk = generation && (await line.ask(exists(layout.chunk(chunkIn(generation.data)))));
    const [life] = marks?.names ?? [];
    const marker = life === undefined ? null : await readMarker(line, life);
    return {
      life: marker?.life ?? null,
      beat: marker?.beat ?? -1,
      hasRecords,
      now,
      marker,
      isComplete: chunk !== null && parents.every((stat) => stat !== null),
    };
  }

  private async recover(
    line: GuardedConnection,
    { life, epoch }: IncarnationRow,
  ): Promise<boolean> {
    if (life === null) return false;
    const quiet = (now: number) => ask(() => this.life.startQuietPeriod(life, now));
    await recoverZookeeper(line, this.limits, { life, epoch, data: markerData(0, epoch) }, quiet);
    const isOurs = await ask(() => this.life.recordRun(life, { runId: WHOLE }, null));
    return isOurs && this.enter(line, life);
  }

  private async enter(line: GuardedConnection, life: string): Promise<boolean> {
    this.marker = await readMarker(line, life);
    if (this.marker === null) return false;
    await line.enter({ life, epoch: this.life.epoch });
    return true;
  }

  /** If the control database is not responding, the next heartbeat will do. */
  private async recordHeartbeat(
    line: GuardedConnection,
    life: string,
    beat: number,
  ): Promise<void> {
    try {
      if (!(await this.life.recordHeartbeat(life, beat))) line.close();
    } catch {}
  }
}

const DIGITS = 16;

/** Always of the same length, so that no quota is ever exceeded by it. */
const markerData = (beat: number, epoch: number): Buffer =>
  Buffer.from(`${String(beat).padStart(DIGITS, '0')} ${epoch}`);

async function readMarker(line: GuardedConnection, life: string): Promise<Marker | null> {
  const read = await line.ask(getData(line.layout.marker(life)));
  if (read === null) return null;
  const [beat, epoch] = String(read.data).split(' ').map(Number);
  return { life, version: read.stat.version, beat: beat || 0, epoch: epoch || 0 };
}
