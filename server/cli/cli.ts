import { watchOutput } from '../../client/command/terminal/watch-output';
import { type CommandLineIo, runCommandLine } from './command-line';

// What this process makes is for its owner alone.
process.umask(0o077);
const [, , ...args] = process.argv;
const { env, stdout, stderr } = process;
let breakOff: AbortSignal | undefined;
const io: CommandLineIo = {
  env,
  // Opened only where it is read.
  get stdin() {
    return process.stdin;
  },
  stdout,
  stderr,
  // Only what is broken off with care asks for it: all else ends at once.
  get signal() {
    breakOff ??= firstSignal();
    return breakOff;
  },
};

function firstSignal(): AbortSignal {
  const first = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => first.abort());
  return first.signal;
}

watchOutput(stdout, 1, (message) => stderr.write(`${message}\n`));
// An error of standard error itself cannot be reported.
stderr.on('error', () => {});
void runCommandLine(args, io).then((code) => {
  process.exitCode = code;
});
