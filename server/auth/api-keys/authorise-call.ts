import { LockyardError } from '../../contract/errors';
import type { KeyDetail } from '../../contract/key-limits';
import { SERVICE_API, type ServiceProcedureName } from '../../contract/service-api';
import type { ServiceActor } from '../actor';

/** What a call would use. */
export interface WantedAccess {
  procedure: ServiceProcedureName;
  namespace: string;
  /** The names of locks and counters; none if `prefix` or the whole namespace is requested. */
  names?: readonly string[];
}

/**
 * Refuses a call for which its key has no permission: the only place where namespaces, prefix and
 * verbs of a key are compared with a call. Names are compared code unit by code unit, which for
 * well-formed text is byte by byte: without case folding, normalisation or paths.
 *
 * @throws LockyardError `FORBIDDEN`, with a `detail` that names what the key lacks
 */
export function authoriseCall(
  { isWitness, namespaces, limits }: ServiceActor,
  { procedure, namespace, names = [] }: WantedAccess,
): void {
  const { verb } = SERVICE_API[procedure];
  if (verb === null) return;
  if (isWitness) {
    throw refusal('missingVerb', 'The API key of a witness can only report on processes.');
  }
  if (!namespaces.includes(namespace)) {
    throw outsideNamespaces(namespaces, namespace);
  }
  if (!limits) return;
  const { prefix, verbs } = limits;
  if (verbs && !verbs.includes(verb)) {
    throw refusal('missingVerb', `This API key may not ${verb}; it may ${verbs.join(', ')}.`);
  }
  if (prefix === undefined || names.every((name) => name.startsWith(prefix))) return;
  throw outsidePrefix(prefix);
}

/**
 * The prefix of the names that a call with this key sees, if it asks for all names with a prefix:
 * the longer one of the key's and the call's.
 *
 * @param asked absent: all names
 * @throws LockyardError `FORBIDDEN` if no name can have both
 */
export function visiblePrefix({ limits }: ServiceActor, asked = ''): string {
  const { prefix = '' } = limits ?? {};
  if (asked.startsWith(prefix)) return asked;
  if (prefix.startsWith(asked)) return prefix;
  throw outsidePrefix(prefix);
}

/** How many namespaces a message names at most. */
const NAMED_MAX = 5;

function outsideNamespaces(namespaces: readonly string[], wanted: string): LockyardError {
  const named = namespaces.slice(0, NAMED_MAX).map((each) => JSON.stringify(each));
  const others = namespaces.length - named.length;
  const list = others > 0 ? [...named, `${others} more`] : named;
  return refusal(
    'missingNamespace',
    `This API key is for ${namespaces.length === 1 ? 'namespace' : 'namespaces'} ` +
      `${list.join(', ')}, not for ${JSON.stringify(wanted)}.`,
  );
}

const outsidePrefix = (prefix: string) =>
  refusal(
    'missingPrefix',
    `This API key is only for names that begin with ${JSON.stringify(prefix)}.`,
  );

const refusal = (detail: KeyDetail, message: string) =>
  new LockyardError('FORBIDDEN', message, { detail });
