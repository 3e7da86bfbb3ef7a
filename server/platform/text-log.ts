import type { DestinationStream } from 'pino';

const LEVELS: Record<number, string> = {
  10: 'TRACE',
  20: 'DEBUG',
  30: 'INFO ',
  40: 'WARN ',
  50: 'ERROR',
  60: 'FATAL',
};

interface PlainError {
  type?: unknown;
  message?: unknown;
  stack?: unknown;
  cause?: unknown;
}

/**
 * Writes log lines for people: instant, level, text, then the fields as `name=value`; below that
 * the stack of an error. Anything that is not a log line is passed through unchanged.
 */
export function textLog(to: DestinationStream): DestinationStream {
  return { write: (line) => to.write(readable(line)) };
}

function readable(line: string): string {
  let entry: Record<string, unknown>;
  try {
    entry = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return line;
  }
  const { level, time, msg = '', err, ...fields } = entry;
  const at = new Date(Number(time)).toISOString();
  const error = (err ?? {}) as PlainError;
  const values = Object.entries(err === undefined ? fields : { ...fields, err: error.message });
  const words = values.map(([name, value]) => `${name}=${shown(value)}`);
  const head = [at, LEVELS[Number(level)] ?? String(level), oneLine(String(msg)), ...words];
  return `${visible(head.join(' '))}\n${stackOf(error)}`;
}

/** Quoted where it would not be read as one word. */
function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return /^[^\s"=]+$/.test(text) ? text : JSON.stringify(text);
}

/** Line breaks in a caller's text must not look like another log line. */
const oneLine = (text: string) => text.replace(/[\r\n]+/g, ' ');

/** Characters that could move the cursor of a terminal, change its mode, or hide others. */
const CONTROL = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** A line whose texts, some of which are callers', cannot steer the terminal that shows it. */
const visible = (line: string) =>
  line.replace(CONTROL, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);

function stackOf({ stack, cause }: PlainError): string {
  const lines = typeof stack === 'string' && stack !== '' ? stack.split('\n') : [];
  const own = lines.map((line) => `${visible(line)}\n`).join('');
  if (typeof cause !== 'object' || cause === null) return own;
  const { message } = cause as PlainError;
  return `${own}    caused by: ${visible(oneLine(String(message)))}\n${stackOf(cause)}`;
}
