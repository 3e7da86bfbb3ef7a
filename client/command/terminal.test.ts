import { spawn, spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CommandRig, gone } from './command-rig';

/** `script` of util-linux gives its command a terminal, and types into it what it is given. */
const hasTerminal = spawnSync('script', ['-V']).stdout?.includes('util-linux') === true;

let rig: CommandRig;

beforeAll(async () => {
  rig = await CommandRig.start();
});
afterAll(() => rig.close());

/** Runs `lockyard exec` as a person does, who types `keys` once the command is there. */
async function inTerminal(name: string, script: string, keys: string, options: string[] = []) {
  const words = [
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
  let screen = '';
  terminal.stdout.on('data', (chunk) => {
    screen += chunk;
  });
  const ended = new Promise<number | null>((resolve) => terminal.once('close', resolve));
  await rig.written(`${name}.pid`);
  terminal.stdin.write(keys);
  return { code: await ended, screen };
}

test.skipIf(!hasTerminal)(
  'a command keeps its terminal: it can read the keys (needs script)',
  async () => {
    const script = 'echo $$ > keys.pid; read -r line < /dev/tty; echo "<$line>"; exit 4';
    const { code, screen } = await inTerminal('keys', script, 'typed\n');
    expect(screen).toContain('<typed>');
    expect(code).toBe(4);
  },
);

test.skipIf(!hasTerminal)(
  'Ctrl-C reaches a command once, which may tidy up (needs script)',
  async () => {
    const script =
      'trap "n=x\\$n" INT; echo $$ > once.pid; while [ -z "$n" ]; do :; done; sleep 0.3; echo "<$n>"; exit 5';
    const { code, screen } = await inTerminal('once', script, '\u0003');
    expect(screen).toContain('<x>');
    expect(code).toBe(5);
  },
);

test.skipIf(!hasTerminal)(
  'Ctrl-C ends a command that does not mind, and frees its lock (needs script)',
  async () => {
    const { code } = await inTerminal('end', 'echo $$ > end.pid; exec sleep 60', '\u0003');
    expect(code).toBe(130);
    await gone(Number(rig.read('end.pid')));
    expect(await rig.client.inspect({ name: 'end' })).toMatchObject({ state: 'free' });
  },
);

test.skipIf(!hasTerminal)(
  'a lost hold ends a command and what it has started there too (needs script)',
  async () => {
    const script = 'trap "" TERM; sleep 60 & echo $! > lost.pid; cat > /dev/null; wait';
    const ended = inTerminal('lost', script, '', ['--lease', '900ms', '-k', '200ms']);
    const pid = Number(await rig.written('lost.pid'));
    rig.line.refuse();
    expect((await ended).code).toBe(75);
    await gone(pid);
    rig.line.open();
  },
);
