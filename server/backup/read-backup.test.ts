import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readBackup } from './read-backup';

test('a file of one endless line, such as an image of a disk, is not read to its end', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lockyard-'));
  const file = join(folder, 'disk.gz');
  const megabyte = gzipSync(Buffer.alloc(1024 * 1024));
  writeFileSync(file, Buffer.concat(Array(65).fill(megabyte)));
  const read = readBackup(file);
  await expect(read).rejects.toThrow(/disk\.gz is not a backup of Lockyard, or is damaged/);
  rmSync(folder, { recursive: true });
});
