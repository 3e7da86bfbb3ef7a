import { chownSync, mkdirSync, mkdtempSync, readdirSync, utimesSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../platform/clock';
import { FolderScratch } from './folder-scratch';

const ANOTHER_USER = 65_534;

/** Only root can make a folder of another user. */
test.skipIf(process.getuid?.() !== 0)(
  'a race removes what dead runs of its own user have left, and nothing of another user',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ly-scratch-'));
    const [own, other] = ['lockyard-lab-own', 'lockyard-lab-other'].map((name) => {
      const path = join(folder, name);
      mkdirSync(path, { mode: 0o700 });
      return path;
    }) as [string, string];
    chownSync(other, ANOTHER_USER, ANOTHER_USER);
    for (const path of [own, other]) utimesSync(path, 0, 0);
    const scratch = await FolderScratch.open(folder, 'next', systemClock);
    expect(readdirSync(folder).sort()).toEqual(['lockyard-lab-next', 'lockyard-lab-other']);
    await scratch.remove();
    expect(readdirSync(folder)).toEqual(['lockyard-lab-other']);
    await rm(folder, { recursive: true });
  },
);
