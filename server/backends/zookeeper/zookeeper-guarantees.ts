import { connect } from 'node:net';
import { type Guarantees, StoreError, type StoreSetting } from '../record-store';
import type { ServerAddress } from './zookeeper-connection';

const ANSWER_WITHIN_MS = 1_000;
const AWAY = 'not there';
const SILENT = 'does not say';

const REASONS = [
  'A lease is judged by the clock of the leading server: when another one takes the lead whose clock is ahead, leases end that much too early, and somebody else may be let in while the holder still counts on its own.',
  'A server that has just lost the lead may for a short while answer reads as things stood before; it grants nothing.',
];

const LOSS =
  'A loss of memory (a root that was deleted, data folders that were emptied or set back) is noticed by mark and beat before anything else is granted: tokens go on in a higher epoch, and nothing is granted for as long as the longest lease ever granted. Holds, queues and remembered answers of the time before may be gone.';

const ALONE =
  'One server alone: while it is down, nothing is granted; what it had on its disk comes back with it.';

const TORN =
  'Several servers are named and one of them belongs to no ensemble: a lock that is granted there is granted once more by the others.';

/**
 * What a ZooKeeper promises, as far as it can be seen from outside: it tells its version and its part in the ensemble, and
 * more only where `4lw.commands.whitelist` lets it. Whether it flushes every write (`forceSync`) it tells nobody.
 */
export async function zookeeperGuarantees(servers: ServerAddress[]): Promise<Guarantees> {
  const answers = await Promise.all(servers.map((server) => describeServer(server)));
  const said = answers.flat();
  if (said.every(({ value }) => value === AWAY)) {
    throw new StoreError('No ZooKeeper says how it is set up.', 'no');
  }
  const isAlone = said.some(({ name, value }) => name === 'Mode' && value === 'standalone');
  const unsafe = isAlone && servers.length > 1 ? TORN : null;
  const settings = answers.flatMap((ofServer, i) => ofServer.map(named(servers, i)));
  return {
    level: unsafe ? 'Best-effort' : 'Timed',
    reasons: [
      ...(unsafe ? [unsafe] : []),
      ...REASONS,
      ...(isAlone && !unsafe ? [ALONE] : []),
      LOSS,
    ],
    settings: [...settings, { name: 'forceSync', value: 'not told', complaint: null }],
    unsafe,
  };
}

/** Where there are several servers, each setting tells whose it is. */
function named(servers: ServerAddress[], place: number) {
  const { host = '', port = 0 } = servers[place] ?? {};
  const whose = servers.length > 1 ? `${host}:${port} ` : '';
  return (setting: StoreSetting) =>
    setting.value === AWAY || setting.value === SILENT
      ? setting
      : { ...setting, name: `${whose}${setting.name}` };
}

async function describeServer(server: ServerAddress): Promise<StoreSetting[]> {
  const [srvr, conf] = await Promise.all([ask(server, 'srvr'), ask(server, 'conf')]);
  const name = `${server.host}:${server.port}`;
  const said = [...linesOf(srvr, /^(Zookeeper version|Mode): (.*)$/), ...linesOf(conf, CONF)];
  if (said.length > 0) return said.map(([key, value]) => settingOf(key, value));
  const value = srvr === null ? AWAY : SILENT;
  const complaint =
    srvr === null ? 'This server is not there.' : '4lw.commands.whitelist keeps srvr from us.';
  return [{ name, value, complaint }];
}

const CONF = /^(tickTime|syncLimit|initLimit|maxSessionTimeout|minSessionTimeout)=(.*)$/;

function settingOf(name: string, value: string): StoreSetting {
  return { name, value, complaint: complaintOf(name, value) };
}

function complaintOf(name: string, value: string): string | null {
  if (name === 'Mode' && value === 'standalone')
    return 'One server alone: no other one takes over.';
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

/** What a server says to one of its four-letter words; null where it is not there. */
function ask({ host, port }: ServerAddress, word: string): Promise<string | null> {
  return new Promise((resolve) => {
    let said = '';
    const socket = connect(port, host, () => socket.write(word));
    const end = (answer: string | null) => {
      socket.destroy();
      resolve(answer);
    };
    socket.on('data', (chunk) => {
      said += chunk.toString('utf8');
      if (said.length > 100_000) end(said);
    });
    socket.on('error', () => end(null));
    socket.on('close', () => end(said));
    socket.setTimeout(ANSWER_WITHIN_MS, () => end(said === '' ? null : said));
  });
}
