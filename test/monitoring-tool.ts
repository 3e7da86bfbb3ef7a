import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findProgram } from '@/scripts/system/find-program.mjs';
import { freePort } from '@/scripts/system/free-port.mjs';

const READY_WITHIN_MS = 60_000;

/**
 * A Prometheus or an Alertmanager for one test, on a free port, with its data in its own folder.
 */
export class MonitoringTool {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {}

  /** @param config its whole configuration file */
  static async start(kind: 'prometheus' | 'alertmanager', config: string): Promise<MonitoringTool> {
    const folder = mkdtempSync(join(tmpdir(), `lockyard-${kind}-`));
    const file = join(folder, 'config.yml');
    writeFileSync(file, config);
    const port = await freePort();
    const program = findProgram(
      kind === 'prometheus' ? ['prometheus'] : ['prometheus-alertmanager', 'alertmanager'],
    );
    if (!program) throw new Error(`There is no ${kind}.`);
    const child = spawn(
      program,
      [
        `--config.file=${file}`,
        `--web.listen-address=127.0.0.1:${port}`,
        kind === 'prometheus' ? `--storage.tsdb.path=${folder}/data` : `--storage.path=${folder}`,
        ...(kind === 'alertmanager' ? ['--cluster.listen-address='] : []),
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
    const tool = new MonitoringTool(`http://127.0.0.1:${port}`, child, folder);
    if (await tool.isReady()) return tool;
    await tool.stop();
    throw new Error(`${kind} did not start:\n${said}`);
  }

  async get<T>(path: string): Promise<T> {
    const response = await fetch(`${this.url}${path}`);
    return (await response.json()) as T;
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    if (this.child.exitCode === null) {
      this.child.kill('SIGKILL');
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async isReady(): Promise<boolean> {
    for (let waited = 0; waited < READY_WITHIN_MS; waited += 200) {
      if (this.child.exitCode !== null) return false;
      const response = await fetch(`${this.url}/-/ready`).catch(() => null);
      if (response?.ok) return true;
      await pause(200);
    }
    return false;
  }
}
