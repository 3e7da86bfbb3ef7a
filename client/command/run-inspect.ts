import { openClient } from './open-client';
import { COMMON_OPTIONS, onlyArgument, readArguments } from './read-arguments';
import { formatLock } from './terminal/format-lock';
import { printableJson } from './terminal/printable';

export const INSPECT_USAGE = 'lockyard inspect NAME [options]';

const OPTIONS = { ...COMMON_OPTIONS, json: { type: 'boolean' } } as const;

/** `lockyard inspect`: one lock, read from the store now, as text; null if help was asked for. */
export async function runInspect(words: string[]): Promise<string | null> {
  const { values, positionals } = readArguments(words, OPTIONS);
  if (values.help) return null;
  const name = onlyArgument(positionals, INSPECT_USAGE);
  const client = openClient({ url: values.url, namespace: values.namespace });
  const answer = await client.inspect({ name });
  const { namespace } = client.settings;
  return values.json
    ? printableJson({ namespace, name, ...answer })
    : formatLock(namespace, name, answer);
}
