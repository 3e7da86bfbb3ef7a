import type { Config } from '../bootstrap/config/config';
import { LockyardError } from '../contract/errors';
import { type CliCommand, UsageError } from './cli-command';

/**
 * Parses `backends reshard ID`; null for any other words. Throws `UsageError`, or `LockyardError`
 * `NOT_FOUND` for a backend to which this environment gives no shards.
 *
 * @param readConfig called only for this command, which carries the caller's own shard list
 */
export function parseReshardCommand(words: string[], readConfig: () => Config): CliCommand | null {
  const [noun, verb, backend, ...surplus] = words;
  if (noun !== 'backends' || verb !== 'reshard') return null;
  if (!backend || backend.startsWith('-') || surplus.length > 0) {
    throw new UsageError('backends reshard needs the ID of one backend, and nothing else.');
  }
  const found = readConfig().backends.find(({ id }) => id === backend.toLowerCase());
  if (!found?.shards) {
    throw new LockyardError('NOT_FOUND', `There is no backend "${backend}" with shards.`);
  }
  const shards = found.shards.shards.map(({ name }) => name);
  return { verb: 'backends reshard', input: { backend: found.id, shards } };
}
