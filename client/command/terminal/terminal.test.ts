import { spawn, spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CommandRig, untilGone } from '../testing/command-rig';

/**
 * `script` of util-linux gives its command a terminal, and types its own input into it. Commands
 * write their results into files: what a command prints in its last 10 ms may be lost on a busy
 * machine.
 */
const hasTerminal = spawnSync('script', ['-V']).stdout?.includes('util-linux') === true;

let rig: CommandRig;

beforeAll(async () => {
  rig = await CommandRig.start();
});
afterAll(() => rig.close());

/**
 * Runs `lockyard exec` in a terminal and types `keys` once the command runs. `exec` replaces the
 * shell of `script`: some shells would stay in front, die of Ctrl-C, and answer for the command.
 */
async function inTerminal(name: string, script: string, keys: string, options: string[] = []) {
  const words = [
    'exec',
    process.execPath,
    rig.bundle,
    'exec',
    name,
    ...options,
    '--',
    'sh',
    '-c',
    `'${script}'`,
  ];
  const terminal = spawn('script', ['-qefc', words.join(' '), '/dev/null'], {
    cwd: rig.folder,
    env: rig.environment as NodeJS.ProcessEnv,
  });
  terminal.stdout.resume();
  const ended = new Promise<number | null>((resolve) => terminal.once('close', resolve));
  await rig.written(`${name}.pid`);
  terminal.stdin.write(keys);
  return ended;
}

test.skipIf(!hasTerminal)(
  'a command keeps its terminal, so it can read keys (needs script)',
  async () => {
    const script =
      'echo $$ > keys.pid; read -r line < /dev/tty; test -t 1 && echo "$line" > keys.read; exit 4';
    expect(await inTerminal('keys', script, 'typed\n')).toBe(4);
    expect(rig.read('keys.read')).toBe('typed\n');
  },
);

test.skipIf(!hasTerminal)(
  'Ctrl-C reaches a command once, and it may clean up (needs script)',
  async () => {
    const script =
      'trap "n=x\\$n" INT; echo $$ > once.pid; while [ -z "$n" ]; do :; done; ' +
      'sleep 0.3; echo "$n" > once.read; exit 5';
    expect(await inTerminal('once', script, '\u0003')).toBe(5);
    expect(rig.read('once.read')).toBe('x\n');
  },
);

test.skipIf(!hasTerminal)(
  'Ctrl-C ends a command that does not handle it, and frees its lock (needs script)',
  async () => {
    expect(await inTerminal('end', 'echo $$ > end.pid; exec sleep 60', '\u0003')).toBe(130);
    await untilGone(Number(rig.read('end.pid')));
    expect(await rig.client.inspect({ name: 'end' })).toMatchObject({ state: 'free' });
  },
);

test.skipIf(!hasTerminal)(
  'a lost hold ends a command and what it has started there too (needs script)',
  async () => {
    const script = 'trap "" TERM; sleep 60 & echo $! > lost.pid; cat > /dev/null; wait';
    const ended = inTerminal('lost', script, '', ['--lease', '3s', '-k', '200ms']);
    const pid = Number(await rig.written('lost.pid'));
    rig.line.refuse();
    expect(await ended).toBe(75);
    await untilGone(pid);
    rig.line.open();
  },
);
