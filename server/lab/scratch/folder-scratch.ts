import { lstat, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../platform/clock';
import { Periodic } from '../../platform/periodic';
import { folderNameOf, hasEnded, processMark, runOfFolder } from './scratch-names';

/** A run whose mark was not written for this long is dead. */
const SILENT_MS = 60_000;
const MARK_EVERY_MS = 5_000;
const MARK = 'alive';

/** The files of one run's embedded SQLite. A file rewritten regularly marks the run as alive. */
export class FolderScratch {
  private readonly marking = new Periodic({
    job: 'mark a race as alive',
    everyMs: MARK_EVERY_MS,
    run: () => this.mark(),
  });

  private constructor(readonly path: string) {}

  /** Removes the files of dead runs in `folder`, and creates this run's folder in it. */
  static async open(folder: string, runId: string, clock: Clock): Promise<FolderScratch> {
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      const mayRemove = runOfFolder(name) && (await isOwn(path));
      if (mayRemove && (await isDead(path, clock.now()))) {
        await rm(path, { recursive: true, force: true });
      }
    }
    const scratch = new FolderScratch(join(folder, folderNameOf(runId)));
    await mkdir(scratch.path, { mode: 0o700, recursive: true });
    await scratch.mark();
    scratch.marking.start();
    return scratch;
  }

  async remove(): Promise<void> {
    await this.marking.stop();
    await rm(this.path, { recursive: true, force: true });
  }

  private mark(): Promise<void> {
    return writeFile(join(this.path, MARK), processMark());
  }
}

/** In a folder such as /tmp, which all users share, each can remove only their own files. */
async function isOwn(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  return found?.uid === (process.getuid?.() ?? 0);
}

async function isDead(path: string, now: number): Promise<boolean> {
  const file = join(path, MARK);
  try {
    if (hasEnded(await readFile(file, 'utf8'))) return true;
    return now - (await stat(file)).mtimeMs > SILENT_MS;
  } catch {
    // That run has not written its mark yet, or died before.
    const found = await stat(path).catch(() => null);
    return found !== null && now - found.mtimeMs > SILENT_MS;
  }
}
