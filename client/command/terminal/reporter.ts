import { writeSync } from 'node:fs';
import { printable } from './printable';

export type Verbosity = 'quiet' | 'normal' | 'verbose';

/** Prints a message: `always`, `normally`, or only if asked to be `verbose`. */
export interface Reporter {
  always(line: string): void;
  normally(line: string): void;
  verbosely(line: string): void;
}

/**
 * Prints lines on standard error. It bypasses Node's streams, which would make a pipe that the
 * command shares non-blocking; the end of its reader is no reason to stop.
 */
export function createReporter(loudness: Verbosity): Reporter {
  const say = (line: string) => {
    try {
      writeSync(2, `lockyard: ${printable(line)}\n`);
    } catch {
      // The reader of the pipe is gone.
    }
  };
  const not = () => {};
  return {
    always: say,
    normally: loudness === 'quiet' ? not : say,
    verbosely: loudness === 'verbose' ? say : not,
  };
}
