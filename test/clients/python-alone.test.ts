import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'vitest';
import { ApiHarness } from '@/test/api-harness';

const python = join(import.meta.dirname, '../../clients/python');

test('the client for Python is correct with contexts, tasks, threads and forks', async () => {
  const api = await ApiHarness.start();
  try {
    const env = {
      ...process.env,
      PYTHONPATH: python,
      LOCKYARD_URL: api.url,
      LOCKYARD_API_KEY: await api.key('python'),
    };
    const args = [
      '-B',
      '-W',
      'error::ResourceWarning',
      '-m',
      'unittest',
      'test_client',
      'test_errors',
      'test_loops',
      'test_sending',
      'test_tls',
    ];
    await promisify(execFile)('python3', args, { cwd: join(python, 'testing'), env });
  } finally {
    await api.close();
  }
});
