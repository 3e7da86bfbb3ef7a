import { readdirSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { getHeapStatistics } from 'node:v8';
import { MIGRATIONS_TABLE, programSchemaVersion } from '@/db/schema-version';
import { version } from '@/package.json';
import { ReceiverTable } from '../../monitoring/alerts/receiver-table';
import { MAINTENANCE_KEY } from '../../monitoring/maintenance/maintenance';
import { firstLine } from '../../platform/first-line';
import { jobReports } from '../../platform/job-reports';
import { openFilesLimit } from '../../platform/process/open-files-limit.mjs';
import { listAllApiKeys } from '../api-keys/list-api-keys';
import { askDatabase } from '../ask-database';
import type { OperationContext, Runtime } from '../operation-context';
import { requireRole } from '../require-role';
import { listUsers } from '../users/list-users';
import { keyFindings, upkeepFindings } from './access-findings';
import { backendFindings } from './backend-findings';
import { type Finding, problem } from './finding';
import { gateFindings } from './gate-findings';
import { jobFindings } from './job-findings';
import { lastBackupAt } from './last-backup';
import {
  diskFinding,
  filesFinding,
  memoryFinding,
  nodeFinding,
  schemaFinding,
} from './process-findings';

/**
 * Everything that a running server can find out about itself and its stores. It changes nothing.
 * What cannot be examined is a finding too.
 *
 * @throws LockyardError `FORBIDDEN` below admin
 */
export async function examineInstallation(ctx: OperationContext): Promise<Finding[]> {
  await requireRole(ctx, 'admin');
  const { runtime } = ctx;
  const now = runtime.clock.now();
  const [disk, schema, backends, maintenance, keys, upkeep] = await Promise.all([
    orProblem('disk', () => diskOf(runtime)),
    orProblem('schema', () => schemaOf(runtime)),
    examineBackends(runtime),
    maintenanceOf(runtime),
    orProblem('API keys', async () => keyFindings(await listAllApiKeys(ctx), now)),
    orProblem('control database', async () => upkeepFindings(await upkeepOf(ctx))),
  ]);
  const uptimeMs = runtime.clock.monotonic() - runtime.startedAt;
  const jobs = jobReports(runtime.clock.monotonic());
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return [
    ...memoryFinding(used / limit, uptimeMs, version),
    nodeFinding(process.versions.node, now),
    filesFinding(openFilesLimit(), openFiles()),
    ...disk,
    ...schema,
    ...backends,
    ...gateFindings(gatesOf(runtime)),
    ...jobFindings(jobs, maintenance, runtime.historyLags()),
    ...keys,
    ...upkeep,
  ];
}

async function orProblem(
  subject: string,
  find: () => Promise<Finding | Finding[]>,
): Promise<Finding[]> {
  try {
    return [await find()].flat();
  } catch (error) {
    const says = `cannot be examined: ${firstLine(error)}`;
    return [problem(subject, says, 'See the log of the server.')];
  }
}

async function diskOf({ config }: Runtime): Promise<Finding> {
  const { bavail, blocks, bsize } = await statfs(config.dataDir);
  return diskFinding(bavail * bsize, blocks * bsize);
}

async function schemaOf({ database }: Runtime): Promise<Finding> {
  const sql = `SELECT COUNT(*) FROM ${MIGRATIONS_TABLE}`;
  const { rows } = await askDatabase(() => database.raw.ask(sql, []));
  return schemaFinding(Number(rows[0]?.[0]), programSchemaVersion(database.kind));
}

/** Examines the backends, with their present settings. */
async function examineBackends({ engines, guarantees }: Runtime): Promise<Finding[]> {
  await Promise.all([...guarantees.values()].map((watch) => watch.read()));
  return [...engines].flatMap(([id, engine]) =>
    backendFindings(engine.health(), guarantees.get(id)?.row() ?? null),
  );
}

function gatesOf({ gates, namespaces }: Runtime) {
  return {
    configured: gates.ids,
    wanted: [...namespaces.all()].flatMap(({ name }) => {
      const { gate } = namespaces.policyOf(name);
      return gate === null ? [] : [{ namespace: name, gate }];
    }),
    used: gates.used().map(({ backend, gate: { id, client } }) => {
      const { isUp, readyInMs } = client;
      return { gate: id, backend, isUp, readyInMs };
    }),
  };
}

async function maintenanceOf({ engines, processId }: Runtime) {
  const engine = engines.get('default');
  const seen = engine?.run(MAINTENANCE_KEY, { verb: 'inspect' });
  const answer = await seen?.catch(() => null);
  const runner = answer?.holders[0]?.owner ?? null;
  return { runner, isHere: runner === processId };
}

async function upkeepOf(ctx: OperationContext) {
  const { runtime } = ctx;
  const { config, database, clock } = runtime;
  const users = await listUsers(ctx);
  const states = await askDatabase(() => new ReceiverTable(database).all());
  return {
    users: users.length,
    admins: users.filter(({ role, disabledAt }) => role === 'admin' && disabledAt === null).length,
    backupAt: await lastBackupAt(ctx),
    receivers: config.receivers.length,
    failing: config.receivers.flatMap(({ id }) => {
      const failure = states.get(id)?.failure ?? null;
      return failure === null ? [] : [{ id, failure }];
    }),
    now: clock.now(),
  };
}

/** How many files this process has open; null except on Linux. */
function openFiles(): number | null {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return null;
  }
}
