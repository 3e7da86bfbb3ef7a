import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database, RawStatement } from './database';
import { openTestDatabase, TEST_DIALECTS } from './testing/test-database';

const COLUMNS = 'id, position';

const keep = (id: string, position = 1): RawStatement => ({
  sql: `INSERT INTO cursors (${COLUMNS}) VALUES (?,?)`,
  values: [id, position],
});

const WAYS = TEST_DIALECTS.flatMap((dialect) =>
  [false, true].map((isAside) => ({ dialect, isAside })),
);

describe.each(WAYS)('a batch on $dialect, aside: $isAside,', ({ dialect, isAside }) => {
  let database: Database;
  beforeAll(async () => {
    database = await openTestDatabase(dialect);
  });
  afterAll(() => database.close());
  beforeEach(() => database.raw.ask('DELETE FROM cursors', []));

  const batch = (statements: RawStatement[]) => database.raw.batch(statements, isAside);

  const kept = async () => {
    const { rows } = await database.raw.ask(`SELECT ${COLUMNS} FROM cursors ORDER BY id`, []);
    return rows.map(([id, position]) => [id, Number(position)]);
  };

  it('is applied completely', async () => {
    await batch([keep('a', 7), keep('b', Number.MAX_SAFE_INTEGER)]);
    expect(await kept()).toEqual([
      ['a', 7],
      ['b', Number.MAX_SAFE_INTEGER],
    ]);
  });

  it('leaves nothing if one of them fails, and the next batch is applied', async () => {
    await batch([keep('a')]);
    await expect(batch([keep('b'), keep('a')])).rejects.toSatisfy((error) =>
      database.isDuplicateKey(error),
    );
    const unknown = { sql: 'DELETE FROM no_such_table', values: [] };
    await expect(batch([keep('b'), unknown, keep('c')])).rejects.toThrow();
    await batch([keep('d')]);
    expect(await kept()).toEqual([
      ['a', 1],
      ['d', 1],
    ]);
  });

  it('stores each text as given, whatever it contains', async () => {
    const texts = ["it's", "'", "''); DELETE FROM settings; --", '?', '\\', '\n\t', '', 'é 漢 😀'];
    const { sql } = keep('');
    for (const [position, text] of texts.entries()) {
      const setting = {
        sql: 'INSERT INTO settings (id, value, changed_at) VALUES (?,?,1)',
        values: [`t${position}`, text],
      };
      await batch([setting, { sql, values: [`t${position}`, position] }]);
    }
    const { rows } = await database.raw.ask(
      "SELECT id, value FROM settings WHERE id LIKE 't%' ORDER BY id",
      [],
    );
    expect(rows).toEqual(texts.map((text, position) => [`t${position}`, text]));
    await database.raw.ask("DELETE FROM settings WHERE id LIKE 't%'", []);
  });

  it('stores a text that contains a zero character completely', async () => {
    await batch([
      {
        sql: 'INSERT INTO settings (id, value, changed_at) VALUES (?,?,?)',
        values: ['zero', "a\0'b", 1],
      },
    ]);
    const { rows } = await database.raw.ask(
      "SELECT HEX(value) FROM settings WHERE id = 'zero'",
      [],
    );
    expect(rows).toEqual([['61002762']]);
  });
});
