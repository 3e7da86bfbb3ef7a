import { describe, expect, test } from 'vitest';
import { runExec } from './exec/run-exec';
import { runMcp } from './mcp/run-mcp';
import { runInspect } from './run-inspect';
import { runLs } from './run-ls';
import { runRelease } from './run-release';
import { runWatch } from './run-watch';
import { USAGE } from './usage';
import { runWitness } from './witness/run-witness';

const COMMANDS: [verb: string, run: (words: string[]) => Promise<unknown>][] = [
  ['exec', runExec],
  ['ls', runLs],
  ['inspect', runInspect],
  ['watch', runWatch],
  ['release', runRelease],
  ['mcp', runMcp],
  ['witness', runWitness],
];

describe('an option that the help has for all commands', () => {
  const [, line = ''] = /^All commands: ([^;]*);/m.exec(USAGE) ?? [];
  const options = line.match(/--[a-z-]+/g) ?? [];

  test.each(COMMANDS)('is taken by %s', async (_, run) => {
    expect(options).not.toEqual([]);
    for (const option of options) expect(await run([option, 'x', '--help'])).toBeNull();
  });
});
