import { randomBytes } from 'node:crypto';
import type { Connection, RowDataPacket } from 'mysql2/promise';
import { connectAlone } from '@/db/mysql/mysql-pool';
import { tlsFailure } from '@/db/tls-failure';
import { TimeLimit } from '../../platform/time-limit';
import { readRedisFacts } from '../../storage/redis/redis-facts';
import { mysqlAddress } from '../servers/mysql-server';
import { connectRedis, redisAddress } from '../servers/redis-server';
import { connectZookeeper, parseZookeeper, zookeeperAddress } from '../servers/zookeeper-server';
import { askVersion } from '../servers/zookeeper-version';
import type { Asked, MysqlFacts, RedisFacts, ZookeeperFacts } from './server-facts';

const ANSWER_WITHIN_MS = 6_000;
/** Errors of MySQL and MariaDB for a lack of privileges on this database or for this action. */
const NOT_ALLOWED = [1044, 1045, 1142, 1227, 1410];

/** @param triesToCreate whether to create and drop a database, to learn if that is allowed */
export function askMysql(url: string, triesToCreate: boolean): Promise<Asked<MysqlFacts>> {
  return asked(mysqlAddress(url), async () => {
    const connection = await connectAlone(url);
    try {
      const [[about]] = await connection.query<RowDataPacket[]>(
        'SELECT VERSION() AS version, CURRENT_USER() AS account',
      );
      const [marks] = await connection.query<RowDataPacket[]>(
        'SHOW GLOBAL VARIABLES WHERE Variable_name IN ' +
          "('hostname', 'port', 'datadir', 'server_uuid', 'server_uid')",
      );
      const identity = marks.map((row) => `${row.Variable_name}=${row.Value}`).sort();
      return {
        version: String(about?.version),
        account: String(about?.account),
        identity: identity.join(' '),
        ...(triesToCreate ? await tryToCreate(connection) : { mayCreate: false, leftBehind: [] }),
      };
    } finally {
      connection.destroy();
    }
  });
}

const PROBE = 'lockyard_lab_probe';
const PROBES = new RegExp(`^${PROBE}[0-9a-f]{10}$`);

/** Creates and drops a database; but not while one of an earlier preflight cannot be dropped. */
async function tryToCreate(
  connection: Connection,
): Promise<Pick<MysqlFacts, 'mayCreate' | 'leftBehind'>> {
  const [rows] = await connection.query<RowDataPacket[]>('SHOW DATABASES');
  const names = rows.map((row) => String(row.Database));
  const leftBehind = names.filter((name) => PROBES.test(name));
  const drop = async () => {
    while (leftBehind.length > 0) {
      // Another preflight may have dropped it by now.
      await connection.query(`DROP DATABASE IF EXISTS ${leftBehind[0]}`);
      leftBehind.shift();
    }
  };
  try {
    await drop();
    const name = PROBE + randomBytes(5).toString('hex');
    await connection.query(`CREATE DATABASE ${name}`);
    leftBehind.push(name);
    await drop();
    return { mayCreate: true, leftBehind };
  } catch (error) {
    if (!NOT_ALLOWED.includes((error as { errno?: number }).errno ?? 0)) throw error;
    return { mayCreate: false, leftBehind };
  }
}

export function askRedis(url: string): Promise<Asked<RedisFacts>> {
  return asked(redisAddress(url), async () => {
    const redis = await connectRedis(url);
    try {
      const { version, runId, role, isCluster, evictionPolicy } = await readRedisFacts(redis);
      return { version, identity: runId, role, isCluster, evictionPolicy };
    } finally {
      redis.disconnect();
    }
  });
}

export function askZookeeper(url: string): Promise<Asked<ZookeeperFacts>> {
  return asked(zookeeperAddress(url), async () => {
    const client = await connectZookeeper(url);
    client.close();
    const [first] = parseZookeeper(url).servers;
    return { version: first ? await askVersion(first) : null };
  });
}

async function asked<Facts>(address: string, ask: () => Promise<Facts>): Promise<Asked<Facts>> {
  const late = () => new Error('it does not answer in time');
  try {
    const facts = await TimeLimit.within(ANSWER_WITHIN_MS, late, ask());
    return { address, answers: true, facts };
  } catch (error) {
    return { address, answers: false, why: causeOf(error) };
  }
}

/** The end of a sentence, without secrets: messages of the drivers contain none. */
function causeOf(error: unknown): string {
  const { code, message = '' } = error as { code?: string; message?: string };
  if (code === 'ECONNREFUSED') return 'nothing listens there';
  return tlsFailure(error) ?? (message.split('\n')[0] || code || 'it does not answer');
}
