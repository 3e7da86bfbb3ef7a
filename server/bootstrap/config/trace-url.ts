import { ConfigError } from '../../platform/start-error';

const NAME = 'LOCKYARD_TRACE_URL';

/** The placeholders that the URL may have: the ids of a `traceparent`. */
const FIELDS = ['traceId', 'spanId'];
const PLACEHOLDER = /\{([^{}]*)\}/g;

/**
 * Where the console's link "Open trace" leads: an http(s) URL with `{traceId}`, and perhaps
 * `{spanId}`, in its path, query or fragment; null: there is no such link.
 *
 * @throws ConfigError
 */
export function readTraceUrl(env: Record<string, string | undefined>): string | null {
  const text = env[NAME];
  if (text === undefined || text === '') return null;
  const fields = [...text.matchAll(PLACEHOLDER)].map(([, field = '']) => field);
  const unknown = fields.find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) {
    throw new ConfigError(`${NAME}: {${unknown}} must be one of {${FIELDS.join('}, {')}}.`);
  }
  if (!fields.includes('traceId')) {
    throw new ConfigError(`${NAME} must be a URL with {traceId} in it.`);
  }
  const [url, other] = ['a', 'b'].map((value) => parsed(text.replaceAll(PLACEHOLDER, value)));
  if (!url || !other || !/^https?:$/.test(url.protocol)) {
    throw new ConfigError(`${NAME} must be a URL that begins with http: or https:.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new ConfigError(`${NAME} must not have a user or a password in it: everyone can see it.`);
  }
  if (url.origin !== other.origin) {
    throw new ConfigError(`${NAME}: placeholders must be in the path or the query only.`);
  }
  return text;
}

const parsed = (text: string) => (URL.canParse(text) ? new URL(text) : null);
