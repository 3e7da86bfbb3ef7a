import type { z } from 'zod';
import { namespacePolicyBounds } from '../../contract/console/access-inputs';
import { alertRules } from '../../contract/console/alerts/alert-inputs';
import { nearestName } from '../../platform/nearest-name';
import { UsageError } from '../usage-error';
import { SETTING_NAME_MAX } from './provisioning-command';

/** What `--set` of a command can change: by name, which values are allowed. */
const SETTINGS: Record<string, Record<string, z.ZodType>> = {
  'namespaces change': namespacePolicyBounds.shape,
  'alert-rules change': alertRules.shape,
};

/**
 * Reads settings such as `leaseMaxMs=60000`: a value that is not JSON is read as text. Whether
 * they fit those that are not named is not checked here.
 *
 * @throws UsageError
 */
export function parseSettings(verb: string, texts: string[]): Record<string, unknown> {
  const settings = new Map<string, unknown>();
  for (const text of texts) {
    const at = text.indexOf('=');
    if (at < 1) throw new UsageError('--set: must be NAME=VALUE, such as leaseMaxMs=60000.');
    const name = text.slice(0, at);
    if (settings.has(name)) throw new UsageError(`--set ${name}: may be given only once.`);
    settings.set(name, jsonOr(text.slice(at + 1)));
  }
  for (const [name, value] of settings) requireSetting(SETTINGS[verb] ?? {}, name, value);
  return Object.fromEntries(settings);
}

function requireSetting(allowed: Record<string, z.ZodType>, name: string, value: unknown): void {
  const schema = Object.hasOwn(allowed, name) ? allowed[name] : undefined;
  if (!schema) throw noSetting(name, Object.keys(allowed));
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  if (!issue) return;
  const isNoList = issue.code === 'invalid_type' && issue.expected === 'array';
  const hint = isNoList ? ', such as ["host"]' : '';
  throw new UsageError(`--set ${name}: ${issue.message}${hint}.`);
}

function noSetting(name: string, names: string[]): UsageError {
  // Nothing is near to a name that is far longer than all of them.
  const isGuessed = name !== '__proto__' && name.length <= SETTING_NAME_MAX;
  const meant = isGuessed ? `; did you mean ${nearestName(name, names)}?` : '.';
  return new UsageError(
    `--set ${name}: there is no such setting${meant} See docs/provisioning.md.`,
  );
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
