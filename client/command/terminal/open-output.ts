import { EXIT } from '../exit-codes';
import { createReporter } from './reporter';
import { watchOutput } from './watch-output';

/**
 * Standard output, opened only when needed: Node would make a pipe shared with others non-blocking.
 */
export function openOutput(): NodeJS.WriteStream {
  watchOutput(process.stdout, EXIT.software, createReporter('quiet').always);
  return process.stdout;
}
