import Connection from 'libsql';

type Database = InstanceType<typeof Connection>;
type Statement = ReturnType<Database['prepare']>;

/** Prepared statements that a connection keeps. The server uses about a hundred. */
const STATEMENTS_MAX = 300;

/** A longer text contains many values, and hardly ever runs a second time. */
const TEXT_MAX_CHARS = 4_000;

/** Not kept: its columns change with the schema, and the client reads them before it runs. */
const ALL_COLUMNS = /select[^(]*\*/i;

const statementsOf = new WeakMap<Database, Map<string, Statement>>();

/**
 * From now on every SQLite connection of this process keeps its most recently used prepared
 * statements and reuses them for the same text. The client prepares every statement for every call,
 * which costs more than running most of them.
 *
 * SQLite itself prepares a kept statement again after a change of the schema. A text must always be
 * run with the same parameters: an omitted one would keep its last value.
 */
export function reuseStatements(): void {
  Connection.prototype.prepare = prepared as Database['prepare'];
}

const { prepare } = Connection.prototype;

function prepared(this: Database, text: string): Statement {
  if (text.length > TEXT_MAX_CHARS || ALL_COLUMNS.test(text)) return prepare.call(this, text);
  const statements = statementsOf.get(this) ?? new Map<string, Statement>();
  statementsOf.set(this, statements);
  const known = statements.get(text);
  const statement = known ?? refusingOnce(prepare.call(this, text));
  statements.delete(text);
  statements.set(text, statement);
  if (statements.size > STATEMENTS_MAX) statements.delete(statements.keys().next().value as string);
  return statement;
}

/**
 * The client finds out whether a statement returns rows from whether `raw` throws. Only the first
 * refusal crosses from native code, which is slow.
 */
function refusingOnce(statement: Statement): Statement {
  const raw = statement.raw.bind(statement);
  let refusal: unknown = null;
  statement.raw = (isRaw) => {
    if (refusal !== null) throw refusal;
    try {
      return raw(isRaw);
    } catch (error) {
      refusal = error;
      throw error;
    }
  };
  return statement;
}
