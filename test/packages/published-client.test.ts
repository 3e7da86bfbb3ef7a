import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

test('npm would publish the client with its code, types, README and licence, and nothing else', () => {
  // Built apart, since other tests build theirs in the repository at the same time.
  const folder = mkdtempSync(join(tmpdir(), 'lockyard-publish-'));
  try {
    execFileSync(process.execPath, ['client/build.mjs'], { cwd: root, stdio: 'pipe' });
    cpSync(join(root, 'client'), folder, { recursive: true });
    const args = ['publish', '--dry-run', '--json', '--offline', '--tag', 'next'];
    const answer = execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
    const report = JSON.parse(answer) as Record<string, unknown>;
    const published = (report.lockyard ?? report) as {
      name: string;
      version: string;
      files: { path: string }[];
      bundled: string[];
    };
    expect(published).toMatchObject({ name: 'lockyard', version: '0.1.0', bundled: [] });
    const paths = published.files.map(({ path }) => path);
    expect(paths.filter((path) => !path.endsWith('.d.ts')).sort()).toEqual([
      'LICENSE',
      'README.md',
      'dist/guards/mysql.js',
      'dist/guards/redis.js',
      'dist/guards/shared.js',
      'dist/guards/sqlite.js',
      'dist/lockyard-command.js',
      'dist/lockyard.js',
      'package.json',
    ]);
    const types = paths.filter((path) => path.endsWith('.d.ts'));
    for (const path of types) expect(path).toMatch(/^dist\/(guards\/)?[\w-]+\.d\.ts$/);
    for (const name of ['lockyard', 'guards/mysql', 'guards/redis', 'guards/sqlite']) {
      expect(types).toContain(`dist/${name}.d.ts`);
    }
    expect(types).toContain('dist/service-router.d.ts');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 120_000);
