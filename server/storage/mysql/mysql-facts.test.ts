import { type Connection, createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TcpProxy } from '@/test/tcp-proxy';
import { type StoreUnderTest, storesUnderTest } from '../conformance/testing/stores-under-test';
import { StoreError } from '../record-store';
import { readMysqlFacts } from './mysql-facts';
import { mysqlGuarantees } from './mysql-guarantees';

let under: StoreUnderTest;
let url: string;
let root: Connection;

beforeAll(async () => {
  under = await storesUnderTest.mysql.open();
  url = under.database.mysqlUrl ?? '';
  root = await createConnection({ uri: url });
});
afterAll(async () => {
  await root.end();
  await under.close();
});

const read = (uri = url) => readMysqlFacts(uri, 3_000);

describe('a real server', () => {
  it('reports its settings, its tables as created, and that it is not a replica', async () => {
    const facts = await read();
    expect(facts.version).toMatch(/^\d+\.\d+/);
    expect(facts.variables).toMatchObject({ read_only: 'OFF' });
    expect(facts.variables.innodb_flush_log_at_trx_commit).toMatch(/^[0-3]$/);
    expect(facts).toMatchObject({ sources: [], clockAdvances: true, groupMembers: null });
    expect(facts.tables.map(({ name }) => name).sort()).toEqual([
      'lock_history',
      'lock_requests',
      'locks',
    ]);
    expect(mysqlGuarantees(facts).unsafe).toBe(null);
  });

  it('reports a table that was moved to another engine, or whose keys are text', async () => {
    await root.query('ALTER TABLE lock_requests ENGINE = Aria');
    expect(mysqlGuarantees(await read()).unsafe).toMatch(/lock_requests is not kept by InnoDB/);
    await root.query('ALTER TABLE lock_requests ENGINE = InnoDB');
    await root.query('ALTER TABLE locks MODIFY id VARCHAR(191) CHARACTER SET utf8mb4 NOT NULL');
    expect(mysqlGuarantees(await read()).unsafe).toMatch(/locks\.id is not compared by byte/);
    await root.query('ALTER TABLE locks MODIFY id VARBINARY(265) NOT NULL');
    expect(mysqlGuarantees(await read()).unsafe).toBe(null);
  });

  it('reports what matters and what it may not read, even with rights on tables only', async () => {
    const name = `lk${process.pid}`;
    const database = new URL(url).pathname.slice(1);
    await root.query(`CREATE USER ${name}@'%' IDENTIFIED BY 'a password'`);
    try {
      await root.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${database}.* TO ${name}@'%'`);
      const own = new URL(url);
      own.username = name;
      own.password = 'a password';
      const facts = await read(own.href);
      expect(facts.sources).toBe(null);
      const all = await read();
      // Tests that run beside this one open connections too.
      const max_used_connections = all.status.max_used_connections ?? '';
      const status = { ...facts.status, max_used_connections };
      expect({ ...facts, sources: [], status }).toEqual(all);
      const { settings, unsafe } = mysqlGuarantees(facts);
      expect(unsafe).toBe(null);
      expect(settings.find((each) => each.name === 'replica status')?.value).toMatch(
        /not reported/,
      );
    } finally {
      await root.query(`DROP USER ${name}@'%'`);
    }
  });
});

describe('a server that does not answer', () => {
  it('is abandoned within the time limit, and no connection stays open', async () => {
    const { hostname, port } = new URL(url);
    const line = await TcpProxy.start(hostname, Number(port));
    const through = new URL(url);
    through.port = String(line.port);
    for (const cut of [() => line.silence(), () => line.refuse()]) {
      cut();
      const startedAt = performance.now();
      await expect(readMysqlFacts(through.href, 300)).rejects.toBeInstanceOf(StoreError);
      expect(performance.now() - startedAt).toBeLessThan(5_000);
      line.open();
    }
    await line.close();
  });
});
