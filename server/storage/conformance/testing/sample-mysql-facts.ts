import type { MysqlFacts } from '../../mysql/mysql-facts';

/** Our own tables, as the migrations create them. */
export const TABLES: MysqlFacts['tables'] = [
  {
    name: 'locks',
    engine: 'InnoDB',
    collations: [
      { column: 'id', collation: null },
      { column: 'writer', collation: 'ascii_bin' },
    ],
  },
  {
    name: 'lock_requests',
    engine: 'InnoDB',
    collations: [{ column: 'id', collation: 'ascii_bin' }],
  },
  { name: 'lock_history', engine: 'InnoDB', collations: [] },
];

/** A MariaDB as its package sets it up: no binary log, no replica. */
export const MARIADB: MysqlFacts = {
  version: '10.11.19-MariaDB-0+deb12u1',
  variables: {
    innodb_flush_log_at_trx_commit: '1',
    innodb_flush_method: 'O_DIRECT',
    innodb_doublewrite: 'ON',
    innodb_force_recovery: '0',
    innodb_rollback_on_timeout: 'OFF',
    max_allowed_packet: '16777216',
    log_bin: 'OFF',
    sync_binlog: '0',
    binlog_format: 'MIXED',
    read_only: 'OFF',
    innodb_read_only: 'OFF',
    rpl_semi_sync_master_enabled: 'OFF',
    wsrep_on: 'OFF',
    wsrep_provider: 'none',
  },
  status: {
    slave_running: 'OFF',
    slaves_connected: '0',
    rpl_semi_sync_master_status: 'OFF',
    wsrep_cluster_size: '0',
  },
  sources: [],
  groupMembers: null,
  clockAdvances: true,
  tables: TABLES,
};

/** A MySQL 8.4 as it is set up by default. */
export const MYSQL: MysqlFacts = {
  version: '8.4.3',
  variables: {
    innodb_flush_log_at_trx_commit: '1',
    innodb_flush_method: 'O_DIRECT',
    innodb_doublewrite: 'ON',
    innodb_force_recovery: '0',
    innodb_rollback_on_timeout: 'OFF',
    max_allowed_packet: '67108864',
    log_bin: 'ON',
    sync_binlog: '1',
    binlog_format: 'ROW',
    read_only: 'OFF',
    super_read_only: 'OFF',
    innodb_read_only: 'OFF',
  },
  status: {},
  sources: null,
  groupMembers: null,
  clockAdvances: true,
  tables: TABLES,
};

/** The variables of a member of a replication group with one primary. */
export const GROUP: MysqlFacts['variables'] = {
  group_replication_group_name: 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa',
  group_replication_single_primary_mode: 'ON',
  group_replication_consistency: 'BEFORE_ON_PRIMARY_FAILOVER',
};

/** A node of a Galera cluster, with the variables of its manual's example. */
export const GALERA: MysqlFacts['variables'] = {
  wsrep_on: 'ON',
  wsrep_provider: '/usr/lib/galera/libgalera_smm.so',
  innodb_flush_log_at_trx_commit: '0',
  binlog_format: 'ROW',
};
