import type { LockyardClient } from '../../lockyard-client';
import type { Mode } from '../../wire/wire';

interface WantedLock {
  name: string;
  mode: Mode;
  permits?: number;
  capacity?: number;
}

/**
 * Whether the `lockyard exec` that runs this one holds the lock in a way that keeps this one from
 * getting it. Reads what it has set in the environment, and asks whether that hold is live.
 */
export async function isHeldByOuterExec(
  client: LockyardClient,
  { name, mode, permits = 1, capacity = 0 }: WantedLock,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<boolean> {
  const { namespace } = client.settings;
  if (env.LOCKYARD_LOCK !== name || env.LOCKYARD_NAMESPACE !== namespace) return false;
  const { holders } = await client.inspect({ name }, { signal });
  const outer = holders.find(({ token }) => String(token) === env.LOCKYARD_TOKEN);
  if (!outer) return false;
  if (mode === 'permit' && outer.mode === mode) return permits + (outer.permits ?? 1) > capacity;
  return mode !== 'shared' || outer.mode !== mode;
}
