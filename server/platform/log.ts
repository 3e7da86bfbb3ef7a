import { type DestinationStream, destination, type Logger, pino } from 'pino';

/** Where the server says what it does. Never given a password, key, cookie or session. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'fatal'> & {
  child(fields: Record<string, unknown>): Log;
};

const STDERR = 2;

/** JSON lines on standard error. Fields with the names of secrets are redacted. */
export function createLog(to: DestinationStream = destination({ dest: STDERR, sync: false })): Log {
  return pino(
    { base: null, redact: { paths: SECRET_PATHS, censor: '…' }, serializers: { err: plainError } },
    to,
  );
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

/** An error without what its properties may carry: a failed statement's values, such as a hash. */
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
