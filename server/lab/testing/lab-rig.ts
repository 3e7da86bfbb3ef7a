import { mkdtempSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { labEntries } from '@/scripts/build/build-app.mjs';
import { bundle } from '@/scripts/build/bundle.mjs';
import { projectRoot } from '@/scripts/project-root.mjs';
import { startPrivateRedis } from '@/scripts/servers/private-redis.mjs';
import {
  LAB_DEFAULTS,
  type LabProgress,
  type LabRow,
  type LabSettings,
} from '../../contract/console/lab/lab-race';
import { systemClock } from '../../platform/clock';
import type { LabServers } from '../lab-order';
import { LabRunner, type LabRunnerParts } from '../lab-runner';

type Finished = Extract<LabProgress, { kind: 'finished' }>;

/** The result of a finished race. */
export interface RaceResult {
  rows: LabRow[];
  last: Finished;
  /** The row of one strategy; throws if it did not race. */
  row(id: string): LabRow;
}

/** The Lab over real servers, with its programs built as for the server. */
export class LabRig {
  private static races = 0;
  private static programs: Promise<string> | undefined;
  readonly folder = mkdtempSync(join(tmpdir(), 'ly-lab-'));
  readonly runner: LabRunner;

  private constructor(
    programs: string,
    parts: Pick<LabRunnerParts, 'servers'> & Partial<LabRunnerParts>,
  ) {
    this.runner = new LabRunner({
      backends: [],
      processPath: join(programs, 'lab-process.mjs'),
      folder: this.folder,
      // At the lowest priority, other tests would leave a race no CPU at all.
      niceness: 0,
      log: pino({ level: 'silent' }),
      clock: systemClock,
      ...parts,
    });
  }

  static async open(
    parts: Pick<LabRunnerParts, 'servers'> & Partial<LabRunnerParts>,
  ): Promise<LabRig> {
    LabRig.programs ??= bundlePrograms();
    return new LabRig(await LabRig.programs, parts);
  }

  /** Removes the programs, which all rigs of a test file use. */
  static async removePrograms(): Promise<void> {
    const folder = await LabRig.programs;
    LabRig.programs = undefined;
    if (folder) await rm(folder, { recursive: true, force: true });
  }

  /** Runs a race to its end. */
  race(
    settings: Partial<LabSettings> & { strategies: string[] },
    onProgress: (message: LabProgress) => void = () => undefined,
  ): Promise<RaceResult> {
    LabRig.races += 1;
    const runId = `t${process.pid}x${LabRig.races}`;
    const rows: LabRow[] = [];
    const row = (id: string) => {
      const found = rows.find((each) => each.id === id);
      if (!found) throw new Error(`${id} did not race.`);
      return found;
    };
    return new Promise((resolve) => {
      this.runner.start({ ...LAB_DEFAULTS, ...settings, runId }, (message) => {
        if (message.kind === 'entry-finished') rows.push(message.row);
        onProgress(message);
        if (message.kind === 'finished') resolve({ rows, last: message, row });
      });
    });
  }

  /** The names of the remaining scratch folders. */
  leftFolders(): string[] {
    return readdirSync(this.folder);
  }

  async close(): Promise<void> {
    await this.runner.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Returns the folder of the programs. */
async function bundlePrograms(): Promise<string> {
  const folder = join(projectRoot, `.build/lab-under-test-${process.pid}`);
  await bundle(labEntries, folder);
  return folder;
}

type PrivateRedis = Awaited<ReturnType<typeof startPrivateRedis>>;

/**
 * The servers of the tests, with three private Redis servers: a race must not find other tests'
 * keys.
 */
export async function openLabServers(): Promise<{
  servers: Required<LabServers>;
  nodes: PrivateRedis[];
  close(): Promise<void>;
}> {
  const { TEST_MYSQL_URL: mysql = '', TEST_ZOOKEEPER_URL: zookeeper = '' } = process.env;
  const nodes = await Promise.all([startPrivateRedis(), startPrivateRedis(), startPrivateRedis()]);
  return {
    servers: { mysql, redis: nodes.map(({ url }) => url), zookeeper },
    nodes,
    close: async () => {
      await Promise.all(nodes.map((node) => node.stop()));
    },
  };
}
