import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { runChild } from '../process/run-child.mjs';

export const dialects = ['mysql', 'sqlite'];

/**
 * Writes the migration from the last one to the schema, if they differ, into `folder` (default: the
 * folder of the migrations).
 */
export function generateMigration(root, dialect, { folder, name } = {}) {
  const kit = join(root, 'node_modules/drizzle-kit/bin.cjs');
  const args = [kit, 'generate', '--config=drizzle.config.ts', ...(name ? [`--name=${name}`] : [])];
  const variables = {
    MIGRATIONS_DIALECT: dialect,
    ...(folder ? { MIGRATIONS_FOLDER: folder } : {}),
  };
  return runChild(process.execPath, args, { cwd: root, env: { ...process.env, ...variables } });
}

/**
 * Whether each dialect's migrations lead to the current schema: generating into a copy must add
 * nothing.
 */
export async function checkMigrations(root) {
  mkdirSync(join(root, '.build'), { recursive: true });
  const copies = mkdtempSync(join(root, '.build/migrations-'));
  try {
    const results = await Promise.all(
      dialects.map((dialect) => checkDialect(root, dialect, copies)),
    );
    return {
      ok: results.every(({ ok }) => ok),
      output: results.map(({ output }) => output).join('\n'),
    };
  } finally {
    rmSync(copies, { recursive: true, force: true });
  }
}

async function checkDialect(root, dialect, copies) {
  const folder = relative(root, join(copies, dialect));
  cpSync(join(root, 'db/migrations', dialect), join(root, folder), { recursive: true });
  const before = migrationsIn(join(root, folder));
  const { code, output } = await generateMigration(root, dialect, { folder });
  if (code !== 0) return { ok: false, output: `${dialect}: ${output}` };
  const added = migrationsIn(join(root, folder)).filter((file) => !before.includes(file));
  if (before.length === 0) return { ok: false, output: `${dialect}: there is no migration at all` };
  if (added.length === 0)
    return { ok: true, output: `${dialect}: ${before.length} migrations, in step` };
  const missing = added.map((file) => readFileSync(join(root, folder, file), 'utf8')).join('\n');
  return {
    ok: false,
    output:
      `${dialect}: the schema is ahead; run npm run db:generate -- <name>. ` +
      `Missing:\n${missing}`,
  };
}

const migrationsIn = (folder) => readdirSync(folder).filter((file) => file.endsWith('.sql'));
