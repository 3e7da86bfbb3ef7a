import { type CommandLineIo, runCommandLine } from './command-line';

// What this process makes is for its owner alone.
process.umask(0o077);
const breakOff = new AbortController();
const [, , ...args] = process.argv;
// These are broken off with care, by a first signal: all else ends at once.
if (args[0] === 'backup' || args[0] === 'apply') {
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => breakOff.abort());
}
const { env, stdout, stderr } = process;
const io: CommandLineIo = {
  env,
  // Opened only where it is read.
  get stdin() {
    return process.stdin;
  },
  stdout,
  stderr,
  signal: breakOff.signal,
};
void runCommandLine(args, io).then((code) => {
  process.exitCode = code;
});
