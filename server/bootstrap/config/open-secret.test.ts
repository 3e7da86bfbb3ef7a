import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '@/db/database';
import { openTestDatabase, TEST_DIALECTS } from '@/db/testing/test-database';
import { TestClock } from '../../platform/testing/test-clock';
import { prepareDataFolder } from '../data-folder';
import { readConfig } from './config';
import { openSecret } from './open-secret';

const OWN = 'Zk3vN1xq8TtY5mRw0LpC7dHs2BfJ9gUe';
const OTHER = 'aQ4wE7rT2yU9iO1pS6dF3gH8jK5lZ0xC';
const clock = new TestClock();

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lockyard-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const configIn = (dataDir: string, secret = '') =>
  readConfig({ LOCKYARD_DATA_DIR: dataDir, LOCKYARD_SECRET: secret });

test.each(['', '\n', 'short'])(
  'a secret file that holds %j is refused in one line',
  async (text) => {
    const database = await openTestDatabase('sqlite');
    const file = join(folder, 'secret');
    writeFileSync(file, text, { mode: 0o600 });
    const opened = openSecret(configIn(folder), database, clock);
    await expect(opened).rejects.toThrow(/holds no secret of at least 32 characters\.[^\n]*$/);
    await database.close();
  },
);

describe.each(TEST_DIALECTS)('the secret over %s', (dialect) => {
  let database: Database;
  beforeEach(async () => {
    database = await openTestDatabase(dialect);
  });
  afterEach(() => database.close());

  test('is created once, for its owner only, by processes that start at once', async () => {
    const open = () => openSecret(configIn(folder), database, clock);
    const secrets = await Promise.all([open(), open(), open()]);
    secrets.push(await open());
    expect(new Set(secrets).size).toBe(1);
    expect(secrets[0]?.length).toBeGreaterThanOrEqual(43);
    expect(readdirSync(folder)).toEqual(['secret']);
    expect(statSync(join(folder, 'secret')).mode & 0o777).toBe(0o600);
  });

  test('is the configured one, which is not stored anywhere', async () => {
    expect(await openSecret(configIn(folder, OWN), database, clock)).toBe(OWN);
    expect(readdirSync(folder)).toEqual([]);
    const rows = await database.db.select().from(database.tables.settings);
    expect(JSON.stringify(rows)).not.toContain(OWN);
  });

  test('that differs from that of the same database is refused', async () => {
    await openSecret(configIn(folder, OWN), database, clock);
    const withOther = openSecret(configIn(folder, OTHER), database, clock);
    await expect(withOther).rejects.toThrow(/^[^\n]*another secret[^\n]*LOCKYARD_SECRET[^\n]*$/);
    await expect(openSecret(configIn(folder), database, clock)).rejects.toThrow('another secret');
    expect(readdirSync(folder)).toEqual([]);
    expect(await openSecret(configIn(folder, OWN), database, clock)).toBe(OWN);
  });

  test('is refused when others may read its file', async () => {
    await openSecret(configIn(folder), database, clock);
    chmodSync(join(folder, 'secret'), 0o644);
    await expect(openSecret(configIn(folder), database, clock)).rejects.toThrow('chmod 600');
  });
});

describe('the data folder', () => {
  test('is created for its owner only', () => {
    const path = join(folder, 'a', 'b');
    prepareDataFolder(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    prepareDataFolder(path);
  });

  test.each([0o777, 0o775, 0o757, 0o1777, 0o722])(
    'that others can write to is refused in one line: %o',
    (mode) => {
      const path = join(folder, 'open');
      mkdirSync(path);
      chmodSync(path, mode);
      expect(() => prepareDataFolder(path)).toThrow(
        /^Other users can write to [^\n]*chmod go-w[^\n]*$/,
      );
      expect(statSync(path).mode & 0o7777).toBe(mode);
      prepareDataFolder(join(path, 'inside'));
    },
  );

  test.each([0o755, 0o750, 0o711, 0o700])('that others can only read is accepted: %o', (mode) => {
    const path = join(folder, 'readable');
    mkdirSync(path);
    chmodSync(path, mode);
    prepareDataFolder(path);
  });

  test('that cannot be used is reported in one clear line', () => {
    const file = join(folder, 'file');
    writeFileSync(file, 'kept');
    for (const path of [file, join(file, 'x'), '/proc/none/x']) {
      expect(() => prepareDataFolder(path)).toThrow(
        /^The data folder [^\n]* cannot be used: [^\n]*LOCKYARD_DATA_DIR\.$/,
      );
    }
    expect(readFileSync(file, 'utf8')).toBe('kept');
  });
});
