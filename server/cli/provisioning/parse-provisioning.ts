import { z } from 'zod';
import { parseDuration } from '../../../client/command/terminal/duration';
import {
  neededOptions,
  numberIn,
  onlyOptions,
  refuseOtherOptions,
  UsageError,
} from '../usage-error';
import { parseSettings } from './parse-settings';
import type { ProvisioningVerb } from './provisioning-command';

const OPTIONS = {
  id: { type: 'string' },
  name: { type: 'string' },
  namespace: { type: 'string', multiple: true },
  backend: { type: 'string' },
  role: { type: 'string' },
  'password-stdin': { type: 'boolean' },
  witness: { type: 'boolean' },
  prefix: { type: 'string' },
  'any-name': { type: 'boolean' },
  verb: { type: 'string', multiple: true },
  'any-verb': { type: 'boolean' },
  expires: { type: 'string' },
  'no-expiry': { type: 'boolean' },
  grace: { type: 'string' },
  disable: { type: 'boolean' },
  enable: { type: 'boolean' },
  'if-missing': { type: 'boolean' },
  set: { type: 'string', multiple: true },
  default: { type: 'boolean' },
  reason: { type: 'string' },
  for: { type: 'string' },
  kind: { type: 'string' },
  search: { type: 'string' },
  state: { type: 'string' },
  attention: { type: 'boolean' },
  initial: { type: 'string' },
  floor: { type: 'string' },
  ceiling: { type: 'string' },
} as const;
type Option = keyof typeof OPTIONS;
type Values = ReturnType<typeof onlyOptions<typeof OPTIONS>>;

/** The options that each command needs, and those that it also accepts. */
const ACCEPTED: Record<ProvisioningVerb, { needs: Option[]; takes: Option[] }> = {
  'keys list': { needs: [], takes: [] },
  'keys show': { needs: ['id'], takes: [] },
  'keys create': {
    needs: ['name'],
    takes: ['namespace', 'witness', 'prefix', 'verb', 'expires', 'if-missing'],
  },
  'keys change': {
    needs: ['id'],
    takes: ['namespace', 'prefix', 'any-name', 'verb', 'any-verb', 'expires', 'no-expiry'],
  },
  'keys rotate': { needs: ['id'], takes: ['grace'] },
  'keys revoke': { needs: ['id'], takes: [] },
  'users list': { needs: [], takes: [] },
  'users show': { needs: ['name'], takes: [] },
  'users create': { needs: ['name', 'role'], takes: ['password-stdin', 'if-missing'] },
  'users change': { needs: ['name'], takes: ['role', 'disable', 'enable'] },
  'users remove': { needs: ['name'], takes: [] },
  'users reset-password': { needs: ['name'], takes: ['password-stdin'] },
  'namespaces list': { needs: [], takes: [] },
  'namespaces show': { needs: ['name'], takes: [] },
  'namespaces create': { needs: ['name'], takes: ['backend', 'if-missing'] },
  'namespaces change': { needs: ['name', 'reason'], takes: ['set', 'default'] },
  'namespaces remove': { needs: ['name', 'reason'], takes: [] },
  'alert-rules list': { needs: [], takes: [] },
  'alert-rules show': { needs: ['name'], takes: [] },
  'alert-rules change': { needs: ['name', 'reason'], takes: ['set', 'default'] },
  'silences list': { needs: [], takes: [] },
  'silences create': { needs: ['for', 'reason'], takes: ['namespace', 'kind', 'name'] },
  'silences remove': { needs: ['id'], takes: [] },
  'locks list': { needs: [], takes: ['attention', 'state', 'namespace', 'search'] },
  'counters list': { needs: [], takes: ['search'] },
  'counters create': {
    needs: ['name', 'initial', 'reason'],
    takes: ['namespace', 'floor', 'ceiling', 'if-missing'],
  },
  'backends list': { needs: [], takes: [] },
};

export const PROVISIONING_VERBS = Object.keys(ACCEPTED);

const isProvisioning = (verb: string): verb is ProvisioningVerb => Object.hasOwn(ACCEPTED, verb);

/**
 * Reads the arguments of a provisioning command; null for any other command. The command's schema
 * validates the values.
 *
 * @param readPassword reads one line of standard input
 * @throws UsageError
 */
export async function parseProvisioning(
  [noun, word, ...rest]: string[],
  readPassword: () => Promise<string>,
): Promise<{ verb: ProvisioningVerb; input: unknown } | null> {
  const verb = `${noun} ${word}`;
  if (!isProvisioning(verb)) return null;
  const { needs } = ACCEPTED[verb];
  const needed = needs.length > 0 ? neededOptions(verb, needs) : undefined;
  const values = onlyOptions(verb, rest, OPTIONS, needed);
  checkOptions(verb, values);
  const password = values['password-stdin'] ? { password: await readPassword() } : {};
  return { verb, input: { ...inputOf(verb, values), ...password } };
}

function checkOptions(verb: ProvisioningVerb, values: Values): void {
  const { needs, takes } = ACCEPTED[verb];
  const given = Object.keys(values) as Option[];
  const missing = needs.find((option) => !given.includes(option));
  if (missing) throw new UsageError(`${verb} needs ${neededOptions(verb, [missing])}.`);
  if (verb === 'keys create' && !given.includes('namespace') && !values.witness) {
    throw new UsageError(`${verb} needs --namespace, or --witness.`);
  }
  refuseOtherOptions(verb, given, [...needs, ...takes]);
  const changes = takes.filter((option) => given.includes(option));
  if (verb.endsWith(' change') && changes.length === 0) {
    throw new UsageError(`${verb} needs one of --${takes.join(', --')}.`);
  }
  for (const [one, other] of EXCLUSIVE) {
    if (given.includes(one) && given.includes(other)) {
      throw new UsageError(`${verb} takes either --${one} or --${other}.`);
    }
  }
}

const EXCLUSIVE: [Option, Option][] = [
  ['prefix', 'any-name'],
  ['verb', 'any-verb'],
  ['expires', 'no-expiry'],
  ['disable', 'enable'],
  ['set', 'default'],
];

function inputOf(verb: ProvisioningVerb, values: Values): Record<string, unknown> {
  const ifMissing = values['if-missing'];
  if (verb === 'keys create') {
    const { name, namespace, witness } = values;
    const key = { name, ...(namespace && { namespaces: namespace }), ...(witness && { witness }) };
    return { key: { ...key, ...limitsOf(values) }, ifMissing };
  }
  if (verb === 'counters create') return { counter: counterOf(verb, values), ifMissing };
  const { id, name, namespace, backend, role, reason, kind, search, attention } = values;
  const all = {
    id,
    name,
    backend,
    role,
    reason,
    kind,
    search,
    attention,
    status: values.state,
    ifMissing,
    ...(verb === 'silences create' || verb === 'locks list'
      ? { namespace: onlyOne(verb, namespace) }
      : { namespaces: namespace }),
    ...limitsOf(values),
    ...(values.grace !== undefined && { graceMs: durationOf('grace', values.grace) }),
    ...(values.for !== undefined && { forMs: durationOf('for', values.for) }),
    ...((values.disable || values.enable) && { disabled: values.disable === true }),
    ...(values.set && { set: parseSettings(verb, values.set) }),
    default: values.default,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

/** The limits of a key; null removes a limit, and an absent one is left unchanged. */
function limitsOf(values: Values): Record<string, unknown> {
  const prefix = values['any-name'] ? null : values.prefix;
  return {
    ...(prefix !== undefined && { prefix }),
    ...((values.verb ?? values['any-verb']) && { verbs: values.verb ?? null }),
    ...expiry(values.expires),
    ...(values['no-expiry'] && { expiresAt: null }),
  };
}

function counterOf(verb: string, values: Values): Record<string, unknown> {
  const { namespace, name, initial, floor, ceiling, reason } = values;
  return {
    namespace: onlyOne(verb, namespace) ?? 'default',
    name,
    initial: numberIn(initial ?? ''),
    ...(floor !== undefined && { floor: numberIn(floor) }),
    ...(ceiling !== undefined && { ceiling: numberIn(ceiling) }),
    reason,
  };
}

function onlyOne(verb: string, [first, second]: string[] = []): string | undefined {
  if (second === undefined) return first;
  throw new UsageError(`${verb} takes one --namespace.`);
}

function durationOf(option: string, text: string): number {
  const ms = parseDuration(text);
  if (ms !== null) return ms;
  throw new UsageError(`--${option}: must be a duration, such as 90s, 24h or 30d.`);
}

/** A duration from now, or an instant: a date, or a date and time with its zone. */
function expiry(text: string | undefined): Record<string, number> {
  if (text === undefined) return {};
  const ms = parseDuration(text);
  if (ms !== null) return { expiresInMs: ms };
  const isInstant = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/.test(
    text,
  );
  // Checked separately, because V8 reads February 30 as March 2.
  const isDay = z.iso.date().safeParse(text.slice(0, 10)).success;
  const at = isInstant && isDay ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(at)) return { expiresAt: at };
  throw new UsageError(
    '--expires: must be a duration such as 90d, or an instant such as 2027-01-31T00:00:00Z.',
  );
}
