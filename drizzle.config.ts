import { defineConfig } from 'drizzle-kit';
import { CASING } from './db/schema';

// One schema, two dialects: `npm run db:generate` runs this once for each, `npm run check` into a copy.
const dialect = process.env.MIGRATIONS_DIALECT === 'sqlite' ? 'sqlite' : 'mysql';

export default defineConfig({
  dialect,
  casing: CASING,
  schema: `./db/${dialect}/${dialect}-schema.ts`,
  out: process.env.MIGRATIONS_FOLDER ?? `./db/migrations/${dialect}`,
});
