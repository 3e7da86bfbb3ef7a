import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { acquireCommand } from './acquire-command';

/** The last word of a command, as a shell reads it. */
function bodyOf(command: string): unknown {
  const script = `curl() { for word; do :; done; printf %s "$word"; }\n${command}`;
  return JSON.parse(spawnSync('sh', ['-c', script], { encoding: 'utf8' }).stdout);
}

test('a shell reads the command as it is meant, whatever the name of the lock', () => {
  for (const name of ['never-was', "it's", '$HOME `id` "x" \\', "'; exit 1; '"]) {
    const input = { namespace: 'shop', name, owner: 'my-shell', leaseMs: 120_000 };
    expect(bodyOf(acquireCommand('shop', name))).toEqual(input);
  }
});
