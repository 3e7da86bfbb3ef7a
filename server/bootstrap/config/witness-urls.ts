import { refuseBlockedPort } from '../../platform/blocked-port';
import { ConfigError } from '../../platform/start-error';
import { authorizationOf } from './secrets';
import { variablesWithId } from './variables-with-id';

/** Where to ask whether a pod or CI run is alive. */
export interface ConfiguredWitness {
  id: string;
  /** An http(s) URL with placeholders such as `{pod}`, without user and password. */
  template: string;
  /** The `Authorization` header to send; null: none. */
  authorization: string | null;
}

export const WITNESS_PREFIX = 'LOCKYARD_WITNESS_';

/** The placeholders that a template may have: fields of a hold's `meta`. */
const FIELDS = ['pod', 'ciRun', 'host', 'pid'];
const PLACES = ['pod', 'ciRun'];
const PLACEHOLDER = /\{([^{}]*)\}/g;

/**
 * Reads the URLs that answer whether a pod or CI run is alive, by id.
 *
 * @throws ConfigError
 */
export function readWitnesses(env: Record<string, string | undefined>): ConfiguredWitness[] {
  const witnesses: ConfiguredWitness[] = [];
  for (const { name, id } of variablesWithId(env, WITNESS_PREFIX, 'witness')) {
    witnesses.push({ id, ...readTemplate(name, env[name] ?? '') });
  }
  return witnesses;
}

function readTemplate(name: string, text: string): Omit<ConfiguredWitness, 'id'> {
  const fields = [...text.matchAll(PLACEHOLDER)].map(([, field = '']) => field);
  const unknown = fields.find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) {
    throw new ConfigError(`${name}: {${unknown}} must be one of {${FIELDS.join('}, {')}}.`);
  }
  if (!fields.some((field) => PLACES.includes(field))) {
    throw new ConfigError(`${name} must be a URL with {${PLACES.join('} or {')}} in it.`);
  }
  const [url, other] = ['a', 'b'].map((value) => parsed(text.replaceAll(PLACEHOLDER, value)));
  if (!url || !other || !/^https?:$/.test(url.protocol)) {
    throw new ConfigError(`${name} must be a URL that begins with http: or https:.`);
  }
  refuseBlockedPort(name, url);
  const { username, password } = url;
  const elsewhere = ['origin', 'username', 'password', 'hash'] as const;
  if (elsewhere.some((part) => url[part] !== other[part])) {
    throw new ConfigError(`${name}: placeholders must be in the path or the query only.`);
  }
  if (username === '' && password === '') return { template: text, authorization: null };
  return {
    template: text.replace(/\/\/[^/?#]*@/, '//'),
    authorization: authorizationOf(name, url),
  };
}

const parsed = (text: string) => (URL.canParse(text) ? new URL(text) : null);
