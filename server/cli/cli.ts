import { watchOutput } from '../../client/command/terminal/watch-output';
import { ENDING_SIGNALS } from '../platform/process/ending-signals';
import { type CommandLineIo, runCommandLine } from './command-line';

// Files that this process creates are accessible only to their owner.
process.umask(0o077);
const [, , ...args] = process.argv;
const { env, stdout, stderr } = process;
let abortSignal: AbortSignal | undefined;
const io: CommandLineIo = {
  env,
  // Opened only when it is read.
  get stdin() {
    return process.stdin;
  },
  stdout,
  stderr,
  // Only commands that can be aborted cleanly read this; a signal ends all others immediately.
  get signal() {
    abortSignal ??= firstSignal();
    return abortSignal;
  },
};

function firstSignal(): AbortSignal {
  const first = new AbortController();
  for (const signal of ENDING_SIGNALS) process.once(signal, () => first.abort());
  return first.signal;
}

watchOutput(stdout, 1, (message) => stderr.write(`${message}\n`));
// An error of standard error itself cannot be reported.
stderr.on('error', () => {});
void runCommandLine(args, io).then((code) => {
  process.exitCode = code;
});
