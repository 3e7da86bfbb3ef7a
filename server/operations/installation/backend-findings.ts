import type { BackendHealth, ShardHealth } from '../../contract/console/backend-health';
import type { GuaranteeRow } from '../../contract/console/guarantee-row';
import { type Finding, lengthOf, ok, problem, warning } from './finding';

/** Leases depend only on the backend's clock, but people read both clocks. */
const CLOCK_OFFSET_MAX_MS = 2_000;
const LATENCY_MAX_MS = 100;

/** What to change, by the name of a setting, without the server's name before it. */
const CURES: Record<string, string> = {
  innodb_flush_log_at_trx_commit: 'Set innodb_flush_log_at_trx_commit = 1',
  sync_binlog: 'Set sync_binlog = 1',
  binlog_format: 'Set binlog_format = ROW',
  max_allowed_packet: 'Set max_allowed_packet = 16M',
  max_connections: 'Set max_connections = 200 or more',
  Max_used_connections: 'Raise max_connections, or close what other programs keep open',
  appendonly: 'Set appendonly yes',
  appendfsync: 'Set appendfsync always',
  'no-appendfsync-on-rewrite': 'Set no-appendfsync-on-rewrite no',
  'maxmemory-policy': 'Set maxmemory-policy noeviction',
  connected_slaves: 'Disconnect the replicas, or accept that a fail-over may lose grants',
  Mode: 'Run three or five servers as one ensemble',
  maxSessionTimeout: 'Set maxSessionTimeout to 10000 or more',
};

/** How one backend responds, and what its settings allow. */
export function backendFindings(health: BackendHealth, guarantee: GuaranteeRow | null): Finding[] {
  const settings = guarantee ? settingFindings(health, guarantee) : [];
  // Its settings were just read, so it responds; it is not used because of them.
  const isUnused = guarantee?.closedBecause && guarantee.reading && !guarantee.isFailing;
  return isUnused && !health.reachable ? settings : [...healthFindings(health), ...settings];
}

function healthFindings(health: BackendHealth): Finding[] {
  const subject = `backend ${health.id}`;
  const { shards } = health;
  if (!shards) return storeFindings(health, subject);
  const ofShards = shards.map((shard) => storeFindings(shard, `${subject} ${shard.name}`));
  return [...refusalOf(health, subject), ...ofShards.flat()];
}

function storeFindings(store: BackendHealth | ShardHealth, subject: string): Finding[] {
  const { reachable, refusal, kind, silentForMs } = store;
  if (reachable) return [...refusalOf(store, subject), ...paceOf({ ...store, subject })];
  if (refusal) return refusalOf(store, subject);
  const silent = `has not responded for ${lengthOf(silentForMs)}`;
  const advice = 'Start its server, and check address, password and firewall';
  return [problem(subject, `${kind}, ${silent}`, `${advice}; the log has the error.`)];
}

function refusalOf(
  { refusal, loss }: Pick<BackendHealth, 'refusal' | 'loss'>,
  subject: string,
): Finding[] {
  const refused = refusal ? [problem(subject, refusal, 'See docs/backends.md.')] : [];
  if (!loss || loss.quietForMs === 0) return refused;
  const says = `lost data ${lengthOf(loss.agoMs)} ago: no grants for ${lengthOf(loss.quietForMs)}`;
  return [...refused, warning(subject, says, 'Wait: holders of lost leases may still work.')];
}

interface Paced extends Pick<BackendHealth, 'kind' | 'latencyMs' | 'clockOffsetMs'> {
  subject: string;
}

function paceOf({ subject, kind, latencyMs, clockOffsetMs }: Paced): Finding[] {
  const found: Finding[] = [];
  const skew = Math.abs(clockOffsetMs);
  if (skew > CLOCK_OFFSET_MAX_MS) {
    const side = clockOffsetMs > 0 ? 'ahead of' : 'behind';
    const says = `its clock is ${lengthOf(skew)} ${side} this machine's`;
    found.push(warning(subject, says, 'Run NTP (chrony) on both machines.'));
  }
  if (latencyMs !== null && latencyMs > LATENCY_MAX_MS) {
    const says = `a round trip takes ${lengthOf(latencyMs)}: every grant takes at least one`;
    found.push(warning(subject, says, 'Move it closer, or look at its load and its disk.'));
  }
  if (found.length > 0) return found;
  const trip = `, ${lengthOf(latencyMs ?? 0)} a round trip, clocks agree`;
  return [ok(subject, `${kind} responds${latencyMs === null ? '' : trip}`)];
}

function settingFindings({ kind, reachable }: BackendHealth, guarantee: GuaranteeRow): Finding[] {
  const { backend, reading, isFailing, closedBecause, isAllowed } = guarantee;
  const subject = `backend ${backend}`;
  const page = `docs/backends.md#${kind === 'mysql' ? 'mysql-and-mariadb' : kind}`;
  const found: Finding[] = [];
  if (closedBecause !== null) found.push(problem(subject, closedBecause, `See ${page}.`));
  // Of a backend that does not serve, another finding says why.
  if (reachable && (!reading || isFailing)) {
    const advice = `Let its user read them: see ${page}.`;
    found.push(warning(subject, 'its settings cannot be read', advice));
  }
  if (!reading) return found;
  if (reading.unsafe !== null && isAllowed && closedBecause === null) {
    const advice = 'Fix it, then take the backend out of LOCKYARD_ALLOW_UNSAFE.';
    found.push(warning(subject, `grants although it is unsafe: ${reading.unsafe}`, advice));
  }
  for (const { name, value, complaint } of reading.settings) {
    if (complaint === null) continue;
    const cure = CURES[name.split(' ').at(-1) ?? name];
    const advice = cure ? `${cure}: see ${page}.` : `See ${page}.`;
    found.push(warning(subject, `${name} is ${value}. ${complaint}`, advice));
  }
  const sound = reading.settings.filter(({ complaint }) => complaint === null).length;
  return [...found, ok(subject, `guarantee ${reading.level}, ${sound} settings as they should be`)];
}
