import { defineConfig } from 'drizzle-kit';
import { CASING } from './db/schema';

// `npm run db:generate` runs this once for each dialect; `npm run check` does so into a copy.
const dialect = process.env.MIGRATIONS_DIALECT === 'sqlite' ? 'sqlite' : 'mysql';

export default defineConfig({
  dialect,
  casing: CASING,
  schema: `./db/${dialect}/${dialect}-schema.ts`,
  out: process.env.MIGRATIONS_FOLDER ?? `./db/migrations/${dialect}`,
});
