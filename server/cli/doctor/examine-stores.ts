import { existsSync } from 'node:fs';
import { programSchemaVersion } from '@/db/schema-version';
import type { BackendUrl, DatabaseUrl } from '@/db/urls/backend-url';
import type { Config } from '@/server/bootstrap/config/config';
import { backendFindings } from '@/server/operations/installation/backend-findings';
import { type Finding, problem } from '@/server/operations/installation/finding';
import { schemaFinding } from '@/server/operations/installation/process-findings';
import { systemClock } from '@/server/platform/clock';
import { firstLine } from '@/server/platform/first-line';
import { readGuarantees } from '@/server/storage/read-guarantees';
import { appliedMigrations } from '../require-database';

/** A backend, or a shard of one. */
interface ConfiguredStore {
  id: string;
  /** The id of its backend. */
  backend: string;
  url: BackendUrl;
}

/**
 * Examines the control database and every backend of a configuration directly, on a machine where
 * no server runs. Changes and creates nothing.
 */
export async function examineStores(config: Config): Promise<Finding[]> {
  const stores = config.backends.flatMap((backend): ConfiguredStore[] =>
    backend.shards
      ? backend.shards.shards.map(({ name, url }) => ({
          id: `${backend.id} ${name}`,
          backend: backend.id,
          url: { kind: 'mysql' as const, url },
        }))
      : [{ ...backend, backend: backend.id }],
  );
  const control = { id: 'default', backend: 'default', url: config.database as BackendUrl };
  const found = await Promise.all([
    examineSchema(config.database),
    ...[control, ...stores].map((store) =>
      examineStore(store, config.allowUnsafe.includes(store.backend)),
    ),
  ]);
  return found.flat();
}

async function examineSchema(url: DatabaseUrl): Promise<Finding[]> {
  if (url.kind === 'sqlite' && !existsSync(url.path)) {
    const says = `there is no control database at ${url.path}`;
    return [problem('schema', says, 'Start the server once, or set LOCKYARD_DATABASE_URL.')];
  }
  try {
    return [schemaFinding(await appliedMigrations(url), programSchemaVersion(url.kind))];
  } catch (error) {
    return [problem('schema', reasonOf(error), 'Check LOCKYARD_DATABASE_URL and its server.')];
  }
}

async function examineStore({ id, url }: ConfiguredStore, isAllowed: boolean): Promise<Finding[]> {
  if (url.kind === 'sqlite') return [];
  try {
    const guarantees = await readGuarantees(url);
    const responding = { reachable: true, latencyMs: null, silentForMs: 0, clockOffsetMs: 0 };
    const health = { id, kind: url.kind, ...responding };
    const { unsafe, isNeverAllowed } = guarantees;
    const isRefused = unsafe !== null && (!isAllowed || isNeverAllowed === true);
    return backendFindings(health, {
      backend: id,
      reading: { ...guarantees, at: systemClock.now(), ageMs: 0 },
      isFailing: false,
      isAllowed,
      closedBecause: isRefused ? `a server would grant nothing here. ${unsafe}` : null,
    });
  } catch (error) {
    const advice = 'Start its server, and check address, password and firewall.';
    return [problem(`backend ${id}`, `cannot be reached: ${reasonOf(error)}`, advice)];
  }
}

/** What the driver said, where an error of ours has that as its cause. */
const reasonOf = (error: unknown): string =>
  firstLine(error instanceof Error && error.cause instanceof Error ? error.cause : error);
