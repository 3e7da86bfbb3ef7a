import { type DestinationStream, destination, type Logger, pino } from 'pino';
import { textLog } from './text-log';

/** The server's log. Never given a password, key, cookie or session. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'fatal'> & {
  child(fields: Record<string, unknown>): Log;
};

const STDERR = 2;

export const LOG_FORMAT_NAME = 'LOCKYARD_LOG_FORMAT';
export const LOG_LEVEL_NAME = 'LOCKYARD_LOG_LEVEL';
export const LOG_FORMATS = ['json', 'text'] as const;
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** How much is logged, and in what form. */
export interface LogSettings {
  /** `json`, the default, for programs; `text` for people. */
  format?: (typeof LOG_FORMATS)[number];
  /** The least level that is logged: `info` by default. */
  level?: (typeof LOG_LEVELS)[number];
}

/** The log settings of the environment, without invalid ones, which `readConfig` refuses. */
export function logSettings(env: Record<string, string | undefined>): LogSettings {
  const format = LOG_FORMATS.find((each) => each === env[LOG_FORMAT_NAME]);
  const level = LOG_LEVELS.find((each) => each === env[LOG_LEVEL_NAME]);
  return { ...(format && { format }), ...(level && { level }) };
}

/** Lines on standard error. Fields with the names of secrets are redacted. */
export function createLog(
  to: DestinationStream = standardError(),
  { format = 'json', level = 'info' }: LogSettings = {},
): Log {
  const redact = { paths: SECRET_PATHS, censor: '…' };
  const options = { level, base: null, redact, serializers: { err: plainError } };
  return pino(options, format === 'text' ? textLog(to) : to);
}

/** A full disk must not end the server. What could not be written is retried later. */
function standardError(): DestinationStream {
  const to = destination({ dest: STDERR, sync: false });
  // Otherwise the process could not end before it is written.
  to.on('error', () => to.emit('close'));
  return to;
}

const SECRETS = ['password', 'current', 'next', 'secret', 'authorization', 'cookie', 'apiKey'];
const SECRET_PATHS = SECRETS.flatMap((name) => [name, `*.${name}`]);

interface PlainError {
  type: string;
  message: string;
  code?: unknown;
  errno?: unknown;
  stack?: string | undefined;
  cause?: PlainError;
}

/** An error without properties that may contain values of a failed statement, such as a hash. */
function plainError(error: unknown, depth = 0): PlainError {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const { code, errno } = error as { code?: unknown; errno?: unknown };
  const holdsValues = 'params' in error;
  const message = holdsValues ? (error.message.split('\nparams:')[0] ?? '') : error.message;
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line));
  return {
    type: error.name,
    message,
    ...(code !== undefined && { code }),
    ...(errno !== undefined && { errno }),
    ...(frames && { stack: frames.join('\n') }),
    ...(error.cause !== undefined && depth < 4 && { cause: plainError(error.cause, depth + 1) }),
  };
}
