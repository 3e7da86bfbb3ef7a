import { recallLife } from '../../incarnation/ask-control-database';
import { memoryLoss, type SeenMemory } from '../../incarnation/data-loss';
import type { BackendLife, LifeRow } from '../../incarnation/store-incarnation';
import { StoreError } from '../../record-store';
import { chunkIn, type ZookeeperLine } from '../client/guarded-connection';
import { CODE, exists, getChildren, getData, ZookeeperRefusal } from '../client/wire-calls';
import type { ZookeeperLimits } from '../client/zookeeper-limits';
import { mendZookeeper } from './recover-zookeeper';

const recall = <T>(work: () => Promise<T>) => recallLife('ZooKeeper', work);

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

interface Seen extends SeenMemory {
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
 * incarnation: see `mendZookeeper`. Until that is done, no process reads or writes.
 */
export class ZookeeperGuard {
  private marker: Marker | null = null;

  constructor(
    private readonly life: BackendLife,
    private readonly limits: ZookeeperLimits,
  ) {}

  /** @throws StoreError with the reason why no lock may be stored there */
  async admit(line: ZookeeperLine): Promise<void> {
    await line.layout.prepare(line);
    for (let tries = 0; tries < TRIES; tries += 1) {
      const row = await recall(() => this.life.read());
      const seen = await this.look(line);
      if (await this.judge(line, row, seen)) return;
    }
    throw new StoreError('ZooKeeper changes its memory too often.', 'no');
  }

  /**
   * Writes a heartbeat to ZooKeeper and then to the control database, so that an older copy of
   * ZooKeeper can be recognised. If another process has just done so, its heartbeat is adopted.
   */
  async beat(line: ZookeeperLine): Promise<void> {
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
    void this.note(line, life, this.marker?.beat ?? 0);
  }

  /** False: another process was faster, so everything must be checked again. */
  private async judge(line: ZookeeperLine, row: LifeRow, seen: Seen): Promise<boolean> {
    if (row.life !== null && row.runId === null) return this.mend(line, row);
    const what = memoryLoss(row, seen) ?? (seen.isComplete ? null : 'records');
    if (row.life !== null && what === null) return this.enter(line, row.life);
    const { now, life, marker } = seen;
    const loss = what && { what, now, epochAbove: marker?.epoch ?? 0, life };
    const begun = await recall(() => this.life.begin(row, loss));
    return begun.runId === null && this.mend(line, begun);
  }

  /** Whatever is read here is no older than any answer given before. */
  private async look(line: ZookeeperLine): Promise<Seen> {
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

  private async mend(line: ZookeeperLine, { life, epoch }: LifeRow): Promise<boolean> {
    if (life === null) return false;
    const quiet = (now: number) => recall(() => this.life.keepQuiet(life, now));
    await mendZookeeper(line, this.limits, { life, epoch, data: markerData(0, epoch) }, quiet);
    const isOurs = await recall(() => this.life.found(life, { runId: WHOLE }, null));
    return isOurs && this.enter(line, life);
  }

  private async enter(line: ZookeeperLine, life: string): Promise<boolean> {
    this.marker = await readMarker(line, life);
    if (this.marker === null) return false;
    await line.enter({ life, epoch: this.life.epoch });
    return true;
  }

  /** If the control database is not responding, the next heartbeat will do. */
  private async note(line: ZookeeperLine, life: string, beat: number): Promise<void> {
    try {
      if (!(await this.life.noteBeat(life, beat))) line.close();
    } catch {}
  }
}

const DIGITS = 16;

/** Always of the same length, so that no quota is ever exceeded by it. */
const markerData = (beat: number, epoch: number): Buffer =>
  Buffer.from(`${String(beat).padStart(DIGITS, '0')} ${epoch}`);

async function readMarker(line: ZookeeperLine, life: string): Promise<Marker | null> {
  const read = await line.ask(getData(line.layout.marker(life)));
  if (read === null) return null;
  const [beat, epoch] = String(read.data).split(' ').map(Number);
  return { life, version: read.stat.version, beat: beat || 0, epoch: epoch || 0 };
}
