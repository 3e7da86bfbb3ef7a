import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'vitest';

const cwd = join(import.meta.dirname, '../../clients/go');

test('the Go client passes its tests of retries, connections and characters', async () => {
  await promisify(execFile)('go', ['test', '-count=1', '.'], { cwd }).catch(
    (error: { stdout?: string }) => {
      throw new Error(`go test failed: ${error.stdout ?? error}`);
    },
  );
}, 120_000);
