import { bestEffort, type Finding, fine, rateGuarantees } from '../guarantees/rate-guarantees';
import type { Guarantees } from '../record-store';
import type { MysqlFacts, TableFacts } from './mysql-facts';

const STRONG =
  'One server decides, and it flushes every commit to disk before it answers: a crash at any ' +
  'instant forgets no grant.';

/**
 * What MySQL or MariaDB can promise with these settings. Pure.
 *
 * Unsafe: more than one server that takes writes, a server that copies another or takes no writes,
 * tables without rollback, keys that are not compared by byte, a clock that does not advance within
 * a statement.
 */
export function mysqlGuarantees(facts: MysqlFacts): Guarantees {
  const findings = [
    ...durability(facts),
    ...roles(facts),
    ...copies(facts),
    ...clusters(facts),
    ...facts.tables.flatMap(tableFindings),
    clock(facts),
    ...packet(facts),
    ...connections(facts),
    fine('version', facts.version),
    ...(facts.variables.innodb_rollback_on_timeout
      ? [fine('innodb_rollback_on_timeout', facts.variables.innodb_rollback_on_timeout)]
      : []),
  ];
  return rateGuarantees(findings, STRONG);
}

/** A lock with the longest queue, with the history of one write, may need about 1 MB. */
const PACKET_ENOUGH_BYTES = 4 * 1024 * 1024;

const isOn = (value: string | undefined) => value !== undefined && /^(on|1|yes)$/i.test(value);

const unsafe = (name: string, value: string, complaint: string, why: string): Finding => ({
  name,
  value,
  complaint,
  unsafe: why,
});

/** What a crash of the process, the machine or the disk may undo. */
function durability({ variables, status }: MysqlFacts): Finding[] {
  const { innodb_flush_log_at_trx_commit: flush = '', innodb_flush_method: method = '' } =
    variables;
  const { innodb_doublewrite: doublewrite, innodb_force_recovery: recovery } = variables;
  const found = [flushFinding(flush)];
  if (/nosync|littlesync/i.test(method)) {
    const why = 'The server does not wait for the disk: a power cut may forget grants.';
    found.push(bestEffort('innodb_flush_method', method, 'Does not flush.', why));
  }
  if (doublewrite !== undefined) {
    const isOff = /^(off|0|detect_only)$/i.test(doublewrite);
    const why = 'Pages are written once: a power cut may tear one, and records with it.';
    found.push(
      isOff
        ? bestEffort('innodb_doublewrite', doublewrite, 'Pages may be torn.', why)
        : fine('innodb_doublewrite', doublewrite),
    );
  }
  const { innodb_redo_log_enabled: redo } = status;
  if (redo !== undefined && !isOn(redo)) {
    const why = 'The redo log is disabled: a crash of the server may destroy all of its data.';
    found.push(bestEffort('Innodb_redo_log_enabled', redo, 'Must be ON.', why));
  }
  if (recovery !== undefined && Number(recovery) > 0) {
    const why = 'The server runs in forced recovery: its data may be damaged.';
    found.push(unsafe('innodb_force_recovery', recovery, 'Forced recovery.', why));
  }
  return [...found, ...binlog(variables)];
}

function flushFinding(value: string): Finding {
  const name = 'innodb_flush_log_at_trx_commit';
  if (value === '1' || value === '3') return fine(name, value);
  if (value === '2') {
    const why =
      'Commits are flushed once a second: a power cut may forget the grants of the last one.';
    return bestEffort(name, value, 'Must be 1: a power cut forgets.', why);
  }
  const why =
    'Commits are written once a second: a crash of the server may forget the grants of the ' +
    'last one.';
  return bestEffort(name, value || 'not reported', 'Must be 1: a crash forgets.', why);
}

function binlog(variables: MysqlFacts['variables']): Finding[] {
  const { log_bin: isLogged, sync_binlog: sync = '', binlog_format: format = '' } = variables;
  if (!isOn(isLogged)) return [fine('log_bin', isLogged ?? 'not reported')];
  const why =
    'The binary log is not flushed with every commit: after a power cut, what it lost is ' +
    'rolled back.';
  return [
    fine('log_bin', isLogged ?? ''),
    sync === '1'
      ? fine('sync_binlog', sync)
      : bestEffort('sync_binlog', sync, 'Must be 1: a power cut forgets.', why),
    format.toUpperCase() === 'STATEMENT'
      ? { ...fine('binlog_format', format), complaint: 'Must be ROW or MIXED: swaps fail.' }
      : fine('binlog_format', format),
  ];
}

/** Whether this server is the one that takes writes. */
function roles({ variables, sources, status }: MysqlFacts): Finding[] {
  const readOnly = ['read_only', 'super_read_only', 'innodb_read_only'].flatMap((name) => {
    const value = variables[name];
    if (value === undefined) return [];
    if (/^(off|0)$/i.test(value)) return [fine(name, value)];
    const why = 'The server is read-only: it is a replica, or its writes are moving elsewhere.';
    return [unsafe(name, value, 'Takes no writes.', why)];
  });
  return [...readOnly, source(sources, isOn(status.slave_running))];
}

function source(sources: MysqlFacts['sources'], isRunning: boolean): Finding {
  const name = 'replica status';
  const why = 'The server copies another one: the other decides too, and this one may be behind.';
  if (sources === null) {
    const value = isRunning
      ? 'another server'
      : 'not reported: needs REPLICA MONITOR or REPLICATION CLIENT';
    return isRunning ? unsafe(name, value, 'Is a replica.', why) : fine(name, value);
  }
  if (sources.length === 0) return fine(name, 'copies no other server');
  const value = sources.map(({ host }) => host || 'a server without a name').join(', ');
  if (sources.some((each) => each.isRunning)) return unsafe(name, value, 'Is a replica.', why);
  return bestEffort(
    name,
    `${value} (stopped)`,
    'Copied another server until it was stopped.',
    'The server was a replica and may be made one again: then grants made here are lost.',
  );
}

/** The replicas of this server: what one of them lacks is lost when it takes over. */
function copies({ variables, status }: MysqlFacts): Finding[] {
  const semi = variables.rpl_semi_sync_master_enabled ?? variables.rpl_semi_sync_source_enabled;
  const found = semi === undefined ? [] : [semiSync(semi, status)];
  const name = 'Slaves_connected';
  const { slaves_connected: followers } = status;
  if (isOn(semi) || Number(followers ?? 0) === 0) {
    const value = followers ?? 'not reported: MySQL shows it to administrators only';
    return [...found, fine(name, value)];
  }
  const why = 'Replication is asynchronous: a replica that takes over may lack the newest grants.';
  return [...found, bestEffort(name, followers ?? '', 'Asynchronous replication.', why)];
}

function semiSync(enabled: string, status: MysqlFacts['status']): Finding {
  const name = 'rpl_semi_sync';
  if (!isOn(enabled)) return fine(name, enabled);
  const acting = status.rpl_semi_sync_master_status ?? status.rpl_semi_sync_source_status;
  const confirming = status.rpl_semi_sync_master_clients ?? status.rpl_semi_sync_source_clients;
  if (isOn(acting) && Number(confirming ?? 0) > 0) {
    const reason =
      'Commits are confirmed by a replica unless none answers in time: only then may one that ' +
      'takes over lack grants.';
    return { ...fine(name, enabled), caps: { level: 'Timed', reason } };
  }
  const why =
    'No replica confirms commits at present: one that takes over may lack the newest grants.';
  return bestEffort(name, 'ON, not in effect', 'No replica confirms.', why);
}

/** Findings about several servers that act as one. */
function clusters(facts: MysqlFacts): Finding[] {
  return [...galera(facts), ...groupReplication(facts)];
}

function galera({ variables, status }: MysqlFacts): Finding[] {
  const { wsrep_on: isActive, wsrep_provider: provider = '' } = variables;
  if (isActive === undefined) return [];
  if (!isOn(isActive) || /^(none)?$/i.test(provider)) return [fine('wsrep_on', isActive)];
  const size = status.wsrep_cluster_size ?? '';
  if (size === '1') {
    const why = 'A Galera cluster of one node: a second one would make it unsafe.';
    return [
      fine('wsrep_on', isActive),
      bestEffort('wsrep_cluster_size', size, 'Unsafe with a second node.', why),
    ];
  }
  const why =
    'A Galera cluster takes writes at every node; even a healthy one loses updates and shows old ' +
    'ones.';
  return [
    unsafe('wsrep_on', isActive, 'Galera.', why),
    fine('wsrep_cluster_size', size || 'not reported'),
  ];
}

function groupReplication({ variables, groupMembers }: MysqlFacts): Finding[] {
  const single = variables.group_replication_single_primary_mode;
  if (!variables.group_replication_group_name || single === undefined) return [];
  const name = 'group_replication_single_primary_mode';
  const members = fine(
    'group members',
    groupMembers === null ? 'not reported' : String(groupMembers),
  );
  if (!isOn(single) && groupMembers !== 1 && groupMembers !== 0) {
    const why =
      'Every member of the replication group takes writes: two of them may grant the same lock.';
    return [unsafe(name, single, 'Several servers take writes.', why), members];
  }
  const consistency = variables.group_replication_consistency ?? '';
  const reason =
    'After a fail-over another machine’s clock counts: leases hold as long as their clocks agree.';
  const primary: Finding = { ...fine(name, single), caps: { level: 'Timed', reason } };
  if (consistency && !/^EVENTUAL$/i.test(consistency)) {
    return [primary, fine('group_replication_consistency', consistency), members];
  }
  return [
    primary,
    bestEffort(
      'group_replication_consistency',
      consistency || 'not reported',
      'Must be BEFORE_ON_PRIMARY_FAILOVER or more.',
      'A new primary may answer before it has caught up with the old one.',
    ),
    members,
  ];
}

function tableFindings({ name, engine, collations }: TableFacts): Finding[] {
  const isInnodb = /^innodb$/i.test(engine);
  const why = `The table ${name} is not kept by InnoDB: a swap that fails leaves a part behind.`;
  return [
    isInnodb
      ? fine(`engine of ${name}`, engine)
      : unsafe(`engine of ${name}`, engine || 'none', 'Must be InnoDB.', why),
    ...collations.map(({ column, collation }) => collationFinding(name, column, collation)),
  ];
}

/** Names of locks are compared as bytes. Our codes have no spaces: `_bin`, which pads, will do. */
function collationFinding(table: string, column: string, collation: string | null): Finding {
  const name = `collation of ${table}.${column}`;
  const isName = table === 'locks' && column === 'id';
  if (collation === null || (!isName && /_bin$/.test(collation))) {
    return fine(name, collation ?? 'binary');
  }
  const why =
    `The column ${table}.${column} is not compared by byte: two names that differ may be one ` +
    'lock.';
  return unsafe(name, collation, 'Must be compared by byte.', why);
}

/** It weakens no promise: a packet that does not fit is refused as `TOO_LARGE`. */
function packet({ variables: { max_allowed_packet: value } }: MysqlFacts): Finding[] {
  if (value === undefined) return [];
  const isSmall = Number(value) < PACKET_ENOUGH_BYTES;
  const complaint = 'Should be 4 MB or more: locks with long queues may be refused as too large.';
  return [{ name: 'max_allowed_packet', value, complaint: isSmall ? complaint : null }];
}

/** Enough for two processes, each with a pool for the control database and its own connections. */
const CONNECTIONS_ENOUGH = 64;
const NEARLY_ALL = 0.9;

/** It weakens no promise: a caller waits for a connection, or gets `BACKEND_DOWN`. */
function connections({ variables, status }: MysqlFacts): Finding[] {
  const { max_connections: most } = variables;
  if (most === undefined) return [];
  const complaint = `Should be ${CONNECTIONS_ENOUGH} or more: a Lockyard process opens up to 22.`;
  const found = [
    {
      name: 'max_connections',
      value: most,
      complaint: Number(most) < CONNECTIONS_ENOUGH ? complaint : null,
    },
  ];
  const { max_used_connections: used } = status;
  if (used === undefined) return found;
  const isNearlyFull = Number(used) > NEARLY_ALL * Number(most);
  const full = `At most ${most} may be open, and nearly that many were at the same time.`;
  return [
    ...found,
    { name: 'Max_used_connections', value: used, complaint: isNearlyFull ? full : null },
  ];
}

function clock({ clockAdvances }: MysqlFacts): Finding {
  if (clockAdvances) return fine('SYSDATE', 'advances within a statement');
  const why =
    'The server runs with sysdate-is-now: a write that waited is judged by an old clock and ' +
    'may revive a lease.';
  return unsafe('SYSDATE', 'does not advance within a statement', 'Runs with sysdate-is-now.', why);
}
