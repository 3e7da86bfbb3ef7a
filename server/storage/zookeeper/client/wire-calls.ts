import { type WireReader, WireWriter, type WriteStat } from './wire-format';

/** One part of a `multi`: all happen atomically at one instant of the leader's clock, or none. */
export type Step =
  | { kind: 'create'; path: string; data: string; isSequential?: boolean }
  | { kind: 'set'; path: string; data: string; version: number }
  | { kind: 'delete' | 'check'; path: string; version: number };

/** Who may do what: one entry of ZooKeeper's access control list. */
export interface Acl {
  /** A sum: 1 read, 2 write, 4 create, 8 delete, 16 change this list. */
  permissions: number;
  scheme: string;
  id: string;
}

/** Only for the user of the connection that creates the znode. */
export const OWNED: Acl = { permissions: 31, scheme: 'auth', id: '' };

export const OPEN_TO_ALL: Acl = { permissions: 31, scheme: 'world', id: 'anyone' };

/** As the version of a step: matches any version. */
export const ANY_VERSION = -1;

/** ZooKeeper's numbers for the errors of a step. */
export const CODE = {
  ok: 0,
  runtimeInconsistency: -2,
  noNode: -101,
  noAuth: -102,
  badVersion: -103,
  nodeExists: -110,
  authFailed: -115,
  quotaExceeded: -125,
} as const;

export type MultiAnswer =
  | { applied: true /** In the order of the steps. */; done: Done[] }
  | { applied: false /** Which step it failed at. */; failedAt: number; code: number };

/** The result of a step: a creation returns the path, a set the stat. */
interface Done {
  path?: string;
  stat?: WriteStat;
}

/** A request, and how its answer is read. */
export interface Call<T> {
  /** Whether it may change something. */
  writes: boolean;
  packet(xid: number): Buffer;
  answer(reader: WireReader, code: number): T;
}

const TYPE = {
  create: 1,
  delete: 2,
  exists: 3,
  getData: 4,
  set: 5,
  sync: 9,
  getChildren: 12,
  check: 13,
  multi: 14,
} as const;

const SEQUENTIAL = 2;
const ERROR = -1;

/** An answer with a code that the request cannot handle. */
export class ZookeeperRefusal extends Error {
  override readonly name = 'ZookeeperRefusal';

  constructor(readonly code: number) {
    super(REASONS.get(code) ?? `ZooKeeper answered with error ${code}.`);
  }
}

const REASONS = new Map<number, string>([
  [CODE.noNode, 'The root of these locks no longer exists in ZooKeeper.'],
  [CODE.noAuth, 'ZooKeeper does not allow this user to use the locks.'],
  [CODE.authFailed, 'ZooKeeper rejects this user and password.'],
  [CODE.quotaExceeded, 'The quota of these locks in ZooKeeper is used up.'],
]);

/** A read of one znode. The answer is null if the znode does not exist. */
function pathCall<T>(type: number, path: string, read: (reader: WireReader) => T): Call<T | null> {
  return {
    writes: false,
    packet(xid) {
      const writer = new WireWriter().int(xid).int(type).text(path);
      return (type === TYPE.sync ? writer : writer.bool(false)).packet();
    },
    answer(reader, code) {
      if (code === CODE.noNode) return null;
      if (code !== CODE.ok) throw new ZookeeperRefusal(code);
      return read(reader);
    },
  };
}

export const getData = (path: string) =>
  pathCall(TYPE.getData, path, (reader) => ({ data: reader.bytes(), stat: reader.stat() }));

export const exists = (path: string) => pathCall(TYPE.exists, path, (reader) => reader.stat());

export const getChildren = (path: string) =>
  pathCall(TYPE.getChildren, path, (reader) => ({
    names: reader.list(() => reader.text()),
    stat: reader.stat(),
  }));

/** A later read on the same connection is no older than the sync. */
export const sync = (path: string) => pathCall(TYPE.sync, path, () => true);

/** The most that a step takes in addition to its path and its content. */
const STEP_BYTES = 100;

/** An estimate of the bytes that steps take in a packet, rather too high than too low. */
export function bytesOf(steps: readonly Step[]): number {
  let bytes = steps.length * STEP_BYTES;
  for (const step of steps) {
    bytes += step.path.length;
    if ('data' in step) bytes += Buffer.byteLength(step.data);
  }
  return bytes;
}

/** @param acl the access list of what it creates */
export function multi(steps: Step[], acl: Acl): Call<MultiAnswer> {
  return {
    writes: true,
    packet(xid) {
      const writer = new WireWriter(bytesOf(steps)).int(xid).int(TYPE.multi);
      for (const step of steps) {
        writer.int(TYPE[step.kind]).bool(false).int(-1).text(step.path);
        if (step.kind === 'set' || step.kind === 'create') writer.text(step.data);
        if (step.kind === 'create') {
          writer.int(1).int(acl.permissions).text(acl.scheme).text(acl.id);
          writer.int(step.isSequential ? SEQUENTIAL : 0);
        } else {
          writer.int(step.version);
        }
      }
      return writer.int(-1).bool(true).int(-1).packet();
    },
    answer(reader, code) {
      if (code !== CODE.ok) throw new ZookeeperRefusal(code);
      return multiAnswer(reader);
    },
  };
}

function multiAnswer(reader: WireReader): MultiAnswer {
  const done: Done[] = [];
  let failed: { failedAt: number; code: number } | null = null;
  for (let index = 0; ; index += 1) {
    const type = reader.int();
    const isEnd = reader.bool();
    reader.int();
    if (isEnd) return failed ? { applied: false, ...failed } : { applied: true, done };
    if (type === ERROR) {
      const code = reader.int();
      if (code !== CODE.ok && code !== CODE.runtimeInconsistency)
        failed ??= { failedAt: index, code };
    } else if (type === TYPE.create) {
      done.push({ path: reader.text() });
    } else if (type === TYPE.set) {
      done.push({ stat: reader.writeStat() });
    } else if (type === TYPE.delete || type === TYPE.check) {
      done.push({});
    } else {
      throw new RangeError('An answer of ZooKeeper names a step that was not requested.');
    }
  }
}
