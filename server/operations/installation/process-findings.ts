import { DAY_MS } from '../../core/time-units';
import { type Finding, lengthOf, ok, problem, warning } from './finding';

const GB = 1e9;
const DISK_MIN_BYTES = GB;
const DISK_FULL_BYTES = 0.2 * GB;
/** The files that a process needs besides connections, plus the default number of connections. */
const FILES_ENOUGH = 4_400;
/** The last day on which Node.js fixes a release line, by its major version. */
const NODE_UNTIL: Record<number, string> = {
  20: '2026-04-30',
  22: '2027-04-30',
  24: '2028-04-30',
  26: '2029-04-30',
};

/** @param now epoch milliseconds */
export function nodeFinding(version: string, now: number): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const upgrade = 'Use a release that is in long-term support, such as Node 24.';
  if (major < 20 || (major === 20 && minor < 19)) {
    return problem('Node', `${version} is too old: at least 20.19 is needed`, upgrade);
  }
  const until = NODE_UNTIL[major];
  if (major % 2 === 1) return warning('Node', `${version} has no long-term support`, upgrade);
  if (until !== undefined && now >= Date.parse(until) + DAY_MS) {
    return warning('Node', `${version} has had no security fixes since ${until}`, upgrade);
  }
  return ok('Node', version);
}

/** The disk of the data folder, which SQLite, backups and sockets need. */
export function diskFinding(free: number, size: number): Finding {
  const says = `${gb(free)} of ${gb(size)} are free in the data folder`;
  const advice = 'Make room: a database that cannot write grants nothing.';
  if (free < DISK_FULL_BYTES) return problem('disk', says, advice);
  return free < DISK_MIN_BYTES ? warning('disk', says, advice) : ok('disk', says);
}

/**
 * @param limit how many files a process may have open; null: not known
 * @param open how many it has open; null: not known
 */
export function filesFinding(limit: number | null, open: number | null): Finding {
  const subject = 'file descriptors';
  if (limit === null) return ok(subject, 'this system does not report its limit');
  const used = open === null ? '' : `, ${open} in use`;
  const advice = 'Raise it: LimitNOFILE=16384 in the systemd unit, or ulimit -n 16384.';
  if (open !== null && open > 0.8 * limit) return problem(subject, `limit ${limit}${used}`, advice);
  if (limit >= FILES_ENOUGH) return ok(subject, `limit ${limit}${used}`);
  return warning(subject, `limit ${limit}${used}: fewer connections than by default`, advice);
}

export function schemaFinding(applied: number, known: number): Finding {
  const says = `schema ${applied} in the control database, ${known} in this program`;
  if (applied > known) {
    return problem('schema', says, 'A newer version has migrated it: upgrade this one too.');
  }
  return applied === known
    ? ok('schema', String(known))
    : problem('schema', says, 'Start the server: it migrates the database first.');
}

/** @param heap how much of its limit is used, from 0 to 1 */
export function memoryFinding(heap: number, uptimeMs: number, version: string): Finding[] {
  const up = ok('server', `version ${version}, up ${lengthOf(uptimeMs)}`);
  if (heap < 0.75) return [up];
  const says = `${Math.round(100 * heap)} % of the heap is used: at 80 % it refuses new names`;
  return [up, warning('memory', says, 'Set NODE_OPTIONS=--max-old-space-size=4096.')];
}

const gb = (bytes: number) => `${(bytes / GB).toFixed(1)} GB`;
