import { createHash } from 'node:crypto';

/**
 * Everything that happened in a simulation, line by line, and its digest: the same seed gives the
 * same digest.
 */
export class Trace {
  readonly lines: string[] = [];

  add(line: string): void {
    this.lines.push(line);
  }

  digest(): string {
    const hash = createHash('sha256');
    for (const line of this.lines) hash.update(line).update('\n');
    return hash.digest('hex').slice(0, 16);
  }
}
