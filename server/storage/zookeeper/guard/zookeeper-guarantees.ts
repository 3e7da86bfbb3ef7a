import { type Guarantees, StoreError, type StoreSetting } from '../../record-store';
import type { ZookeeperFacts } from './zookeeper-facts';

const AWAY = 'unreachable';
const SILENT = 'not reported';

const REASONS = [
  'A lease is judged by the clock of the leading server: when another one takes the lead ' +
    'whose clock is ahead, leases end that much too early, and another caller may get the lock ' +
    'while the holder still relies on its lease.',
  'A server that has just lost the lead may answer reads with older data for a short time; ' +
    'it grants nothing.',
];

const LOSS =
  'A data loss (a root that was deleted, data folders that were emptied or restored) is ' +
  'detected by mark and heartbeat before anything else is granted: tokens continue in a ' +
  'higher epoch, and nothing is granted for as long as the longest lease ever granted. ' +
  'Earlier holds, queues and remembered answers may be gone.';

const ALONE =
  'A single server: while it is down, nothing is granted; the data on its disk is available ' +
  'again once it is back.';

const TORN =
  'Several servers are named and one of them belongs to no ensemble: it and the others may grant ' +
  'the same lock.';

const SPLIT =
  'The servers that are named belong to more than one ensemble: two ensembles may grant the same ' +
  'lock.';

/**
 * What a ZooKeeper promises, as far as can be seen from outside: it reports its version and its
 * role in the ensemble, and more only if `4lw.commands.whitelist` allows it. It never reports
 * whether it flushes every write (`forceSync`). Pure.
 *
 * @throws StoreError if none of them is responding
 */
export function zookeeperGuarantees(servers: ZookeeperFacts[]): Guarantees {
  const answers = servers.map(describeServer);
  const reported = answers.flat();
  if (reported.every(({ value }) => value === AWAY)) {
    throw new StoreError('No ZooKeeper server reports its settings.', 'no');
  }
  const isAlone = reported.some(({ name, value }) => name === 'Mode' && value === 'standalone');
  const unsafe = isAlone && servers.length > 1 ? TORN : isSplit(servers) ? SPLIT : null;
  const settings = answers.flatMap((ofServer, i) => ofServer.map(named(servers, i)));
  return {
    level: unsafe ? 'Best-effort' : 'Timed',
    reasons: [
      ...(unsafe ? [unsafe] : []),
      ...REASONS,
      ...(isAlone && !unsafe ? [ALONE] : []),
      LOSS,
    ],
    settings: [...settings, { name: 'forceSync', value: 'not reported', complaint: null }],
    unsafe,
  };
}

/** With several servers, each setting names its server. */
function named(servers: ZookeeperFacts[], index: number) {
  const prefix = servers.length > 1 ? `${servers[index]?.name} ` : '';
  return (setting: StoreSetting) =>
    setting.value === AWAY || setting.value === SILENT
      ? setting
      : { ...setting, name: `${prefix}${setting.name}` };
}

/**
 * Whether two leaders name different members, or two servers have no member in common. During a
 * change of leader in one ensemble, two may claim to lead for a moment.
 */
function isSplit(servers: ZookeeperFacts[]): boolean {
  const membersOf = ({ conf }: ZookeeperFacts) =>
    linesOf(conf, MEMBER).map(([, address]) => address);
  const leaders = servers.filter(({ srvr }) => linesOf(srvr, SRVR).some(isLeader));
  const [first = '', ...others] = leaders.map((leader) => membersOf(leader).sort().join());
  const lists = servers.map(membersOf).filter((members) => members.length > 0);
  return (
    others.some((members) => members === '' || members !== first) ||
    lists.some((one) => lists.some((other) => !one.some((member) => other.includes(member))))
  );
}

const isLeader = ([name, value]: [name: string, value: string]) =>
  name === 'Mode' && value === 'leader';

function describeServer({ name, srvr, conf }: ZookeeperFacts): StoreSetting[] {
  const reported = [...linesOf(srvr, SRVR), ...linesOf(conf, CONF)];
  if (reported.length > 0) return reported.map(([key, value]) => settingOf(key, value));
  const value = srvr === null ? AWAY : SILENT;
  const complaint =
    srvr === null
      ? 'This server cannot be reached.'
      : '4lw.commands.whitelist does not allow srvr.';
  return [{ name, value, complaint }];
}

const SRVR = /^(Zookeeper version|Mode): (.*)$/;

/** The address by which the members of an ensemble know one another. */
const MEMBER = /^(server)\.\d+=([^;]*)/;

const CONF = /^(tickTime|syncLimit|initLimit|maxSessionTimeout|minSessionTimeout)=(.*)$/;

function settingOf(name: string, value: string): StoreSetting {
  return { name, value, complaint: complaintOf(name, value) };
}

function complaintOf(name: string, value: string): string | null {
  if (name === 'Mode' && value === 'standalone') return 'A single server: no other one takes over.';
  if (name === 'Mode' && value === 'read-only') return 'It is cut off from the others.';
  const [major = 0, minor = 0] = value.split('.').map(Number);
  const isOld = name === 'Zookeeper version' && (major < 3 || (major === 3 && minor < 5));
  return isOld ? 'Lockyard needs ZooKeeper 3.5 or newer.' : null;
}

function linesOf(text: string | null, pattern: RegExp): [name: string, value: string][] {
  const lines = (text ?? '').split('\n').map((line) => pattern.exec(line.trim()));
  return lines
    .flatMap((match) => (match ? [[match[1] ?? '', match[2] ?? ''] as const] : []))
    .map(([name, value]) => [
      name,
      name === 'Zookeeper version' ? (value.split('-')[0] ?? '') : value,
    ]);
}
