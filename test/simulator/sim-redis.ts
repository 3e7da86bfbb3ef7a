import { recordId, recordKey } from '@/server/storage/record-id';
import type { StoredRecord } from '@/server/storage/record-store';
import { versionPrefix } from '@/server/storage/redis/redis-codec';
import {
  END_RECOVERY,
  HAS_QUEUE,
  HEARTBEAT,
  INSPECT,
  LIST_RECORDS,
  NO_QUEUE,
  PREFIX,
  READ,
  type Reply,
  START_INCARNATION,
  SWAP,
} from '@/server/storage/redis/redis-script';
import { proposedChanges } from './proposed-changes';
import type { DatabaseSnapshot, SimDatabase } from './sim-database';

interface Marker {
  life: string;
  beat: number;
  count: number;
  epoch: number;
  history: number;
}

type Entry = [id: string, fields: string[]];

/** The whole data of a Redis, as of one instant. */
export interface RedisSnapshot {
  marker: Marker | null;
  ids: ReadonlySet<string>;
  stream: readonly Entry[];
  rest: DatabaseSnapshot;
}

/** The error of a call, as the driver reports it. */
export class RedisRefusal extends Error {
  override readonly name = 'ReplyError';
}

/**
 * The simulated part of a Redis: its keys, and what our scripts and the few plain commands do to
 * them, each in one instant, rewritten in TypeScript since no Lua runs here. The real `RedisStore`,
 * `RedisConnection`, `RedisGuard`, `StoreIncarnation` and `recoverRedis` decide everything before a
 * command is sent, whether the data is complete, and what to do if it is not. Records are stored in
 * a `SimDatabase`, so that the referee sees every step.
 */
export class SimRedis {
  runId = 'run0';
  /** Changes with a restart, and when it has followed another server. */
  private replicationId = 'history0';
  /** Whether it took over another server's data within this run. */
  hasFollowed = false;
  private follows = 0;
  /** Unreachable before this time, in milliseconds since the simulation began. */
  downUntil = 0;
  private runs = 0;
  private marker: Marker | null = null;
  private ids = new Set<string>();
  private stream: Entry[] = [];
  /** Called with the epoch of each incarnation that begins. */
  onIncarnation: (epoch: number) => void = () => undefined;

  /**
   * @param flushes whether it flushes each write before it answers; else a crash may lose the last
   *   writes
   * @param saysFlushes whether it reports that it does
   * @param hidesFollowing it keeps its replication id, whichever server it has followed
   */
  constructor(
    readonly database: SimDatabase,
    public flushes: boolean,
    private saysFlushes = flushes,
    private readonly hidesFollowing = false,
  ) {}

  /** The last heartbeat in the marker; −1 without a marker. */
  get beat(): number {
    return this.marker?.beat ?? -1;
  }

  snapshot(): RedisSnapshot {
    const { marker, ids, stream, database } = this;
    return {
      marker: marker && { ...marker },
      ids: new Set(ids),
      stream: [...stream],
      rest: database.snapshot(),
    };
  }

  restore({ marker, ids, stream, rest }: RedisSnapshot): void {
    this.marker = marker && { ...marker };
    this.ids = new Set(ids);
    this.stream = [...stream];
    this.database.restore(rest);
  }

  empty(): void {
    const rest = { records: new Map(), storedAnswers: new Map() };
    this.restore({ marker: null, ids: new Set(), stream: [], rest });
  }

  /** Loses the key of one record, as after an operator's `DEL`; its id stays listed. */
  drop(id: string): void {
    const { records, storedAnswers } = this.database.snapshot();
    const left = [...records].filter(([other]) => other !== id);
    this.database.restore({ records: new Map(left), storedAnswers });
  }

  /** Starts another run: every client is disconnected, and commands in flight never arrive. */
  restart(downUntil: number): void {
    this.runs += 1;
    this.runId = `run${this.runs}`;
    this.replicationId = `history${this.runs}`;
    this.hasFollowed = false;
    this.downUntil = downUntil;
  }

  /** Makes it flush each write from its next run on. */
  flushFromNowOn(): void {
    this.flushes = true;
    this.saysFlushes = true;
  }

  /** Takes over another server's data within one run, without disconnecting any client. */
  follow(memory: RedisSnapshot): void {
    this.restore(memory);
    if (this.hidesFollowing) return;
    this.follows += 1;
    this.replicationId = `followed${this.follows}`;
    this.hasFollowed = true;
  }

  info(): string {
    const facts = { redis_version: '7.0.0', run_id: this.runId, role: 'master' };
    const more = { connected_slaves: 0, cluster_enabled: 0, maxmemory: 0, evicted_keys: 0 };
    const before = this.hasFollowed ? 'another' : '0';
    const histories = { master_replid: this.replicationId, master_replid2: before };
    const copied = { ...histories, repl_backlog_active: 0 };
    const kept = { aof_enabled: Number(this.saysFlushes), maxmemory_policy: 'noeviction' };
    return Object.entries({ ...facts, ...more, ...copied, ...kept })
      .map(([name, value]) => `${name}:${value}`)
      .join('\r\n');
  }

  /** What `CONFIG GET` reports about its flushing. */
  flushing(): string[] {
    const [kept, often] = this.saysFlushes ? ['yes', 'always'] : ['no', 'everysec'];
    return ['appendonly', kept, 'appendfsync', often, 'no-appendfsync-on-rewrite', 'no'];
  }

  /** @throws RedisRefusal */
  script(sha: string, args: string[]): Reply {
    const run = SCRIPTS.get(sha);
    if (!run) throw new RedisRefusal('ERR this script is not simulated');
    return run.call(this, args);
  }

  /**
   * A page holds a few keys. As with a Redis, no key is left out because another one is deleted
   * between two pages.
   *
   * @param cursor the last key of the previous page; 0: none
   */
  scanRecords(cursor: string, prefix: string): [next: string, keys: string[]] {
    const found = this.database.all().map(({ key }) => PREFIX.record + recordId(key));
    const left = found.filter((key) => cursor === '0' || key > cursor).sort();
    const page = left.slice(0, SCAN_PAGE);
    const next = (left.length > SCAN_PAGE && page.at(-1)) || '0';
    return [next, page.filter((key) => key.startsWith(prefix))];
  }

  get(key: string): string | null {
    const isQueue = key.startsWith(PREFIX.queue);
    const stored = this.at(key.slice((isQueue ? PREFIX.queue : PREFIX.record).length));
    return stored && (isQueue ? stored.queue || null : textOf(stored));
  }

  idsBetween(from: string, to: string, limit: number): string[] {
    const isIn = (id: string) =>
      (from === '-' || (from.startsWith('[') ? id >= from.slice(1) : id > from.slice(1))) &&
      (to === '+' || id < to.slice(1));
    return [...this.ids].filter(isIn).sort().slice(0, limit);
  }

  history(from: string, to: string, limit: number): Entry[] {
    const first = Number.parseInt(from.replace('(', ''), 10) + Number(from.startsWith('('));
    const last = to === '+' ? Number.POSITIVE_INFINITY : Number.parseInt(to, 10);
    const isIn = ([id]: Entry) =>
      Number.parseInt(id, 10) >= first && Number.parseInt(id, 10) <= last;
    return this.stream.filter(isIn).slice(0, limit);
  }

  /** The value of a field of the marker; null if it has none. */
  field(name: string): string | null {
    const value = this.marker?.[name as keyof Marker];
    return value === undefined ? null : String(value);
  }

  look(): Reply {
    const { marker, ids } = this;
    const known = [marker?.life, marker?.beat, marker?.epoch, marker?.count];
    return [this.database.now(), ...known.map((value) => value ?? null), ids.size];
  }

  heartbeat([life, seen]: string[]): Reply {
    const marker = this.checked(life, seen);
    marker.beat += 1;
    return [marker.beat, this.database.now()];
  }

  read([life, seen, n, ...rest]: string[]): Reply {
    this.checked(life, seen);
    const ids = rest.slice(0, Number(n));
    const { storedAnswers } = this.database.read([], rest.slice(Number(n)));
    const records = ids.flatMap((id) => {
      const stored = this.at(id);
      if (!stored && this.ids.has(id)) throw new RedisRefusal('LOCKYARD records');
      return stored ? [textOf(stored), stored.queue] : [null, ''];
    });
    const answers = rest.slice(Number(n)).flatMap((key) => {
      const storedAnswer = storedAnswers.find((kept) => kept.key === key);
      return storedAnswer
        ? [
            `${storedAnswer.inputHash}\n${JSON.stringify(storedAnswer.answer)}`,
            storedAnswer.expiresAt,
          ]
        : [null, -2];
    });
    return [this.database.now(), ...records, ...answers];
  }

  swap([life, seen, how, history = '', , ...rest]: string[]): Reply {
    const [numbers = '[]', texts = '', requests = '', ...answers] = rest;
    const marker = this.checked(life, seen);
    const changes = proposedChanges(history, JSON.parse(numbers), texts, requests, answers);
    for (const { key } of changes) {
      if (!this.at(recordId(key)) && this.ids.has(recordId(key))) {
        throw new RedisRefusal('LOCKYARD records');
      }
    }
    const results = this.database.swap(changes, how === 'all');
    const took = changes.filter((_, i) => results[i]?.applied);
    for (const { key } of took) this.list(marker, recordId(key));
    const now = this.database.now();
    if (history !== '' && took.length > 0) {
      marker.history += 1;
      const writers = took.map(({ writer }) => writer).join(',');
      this.stream.push([
        `${marker.history}-0`,
        ['at', `${now}`, 'changes', history, 'took', writers],
      ]);
    }
    const outcomes = results.map(({ applied: isDone, found }) =>
      isDone ? 1 : found ? foundText(found) : null,
    );
    return [now, ...outcomes];
  }

  beginIncarnation([mending = '', life, epoch, historyFrom]: string[]): Reply {
    const now = this.database.now() + 1;
    const { marker } = this;
    if (marker?.life === mending || (marker && marker.life === life)) return now;
    if (marker && marker.epoch > Number(epoch)) throw new RedisRefusal('LOCKYARD life');
    const history = Math.max(marker?.history ?? 0, Number(historyFrom));
    this.marker = { life: mending, beat: 0, count: 0, epoch: Number(epoch), history };
    this.ids = new Set();
    this.onIncarnation(Number(epoch));
    return now;
  }

  listRecords([mending, ...ids]: string[]): Reply {
    const { marker } = this;
    if (!marker || marker.life !== mending) return 0;
    for (const id of ids) this.list(marker, id);
    return 1;
  }

  endRecovery([mending, life = '']: string[]): Reply {
    const { marker } = this;
    if (marker && marker.life === mending) marker.life = life;
    return Number(marker?.life === life);
  }

  private list(marker: Marker, id: string): void {
    if (!this.ids.has(id)) marker.count += 1;
    this.ids.add(id);
  }

  /** The checks at the beginning of every script. */
  private checked(life: string | undefined, seen = ''): Marker {
    const { marker, ids, replicationId } = this;
    const [beat, history] = seen.split(' ');
    if (history !== replicationId) throw new RedisRefusal('LOCKYARD run');
    if (!marker || marker.life !== life) throw new RedisRefusal('LOCKYARD life');
    if (marker.beat < Number(beat)) throw new RedisRefusal('LOCKYARD beat');
    if (marker.count !== ids.size) throw new RedisRefusal('LOCKYARD records');
    return marker;
  }

  private at(id: string): StoredRecord | null {
    return this.database.read([recordKey(id)], []).records[0]?.record ?? null;
  }
}

const SCAN_PAGE = 2;

const SCRIPTS = new Map([
  [INSPECT.sha, SimRedis.prototype.look],
  [READ.sha, SimRedis.prototype.read],
  [SWAP.sha, SimRedis.prototype.swap],
  [HEARTBEAT.sha, SimRedis.prototype.heartbeat],
  [START_INCARNATION.sha, SimRedis.prototype.beginIncarnation],
  [LIST_RECORDS.sha, SimRedis.prototype.listRecords],
  [END_RECOVERY.sha, SimRedis.prototype.endRecovery],
]);

function textOf(stored: StoredRecord): string {
  return `${stored.queue === '' ? NO_QUEUE : HAS_QUEUE}${versionPrefix(stored)}${stored.head}`;
}

/** The text of a record in the answer of a swap: without its head if its queue is elsewhere. */
function foundText(stored: StoredRecord): string {
  return textOf(stored.queue === '' ? stored : { ...stored, head: '' });
}
