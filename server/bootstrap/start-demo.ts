import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  DEMO_FREEZE,
  DEMO_NAMESPACES,
  DEMO_SERVICES,
  DEMO_WITNESS,
} from '@/scripts/demo/demo-plan';
import { startFleet } from '@/scripts/demo/start-fleet';
import { DEMO_PATH } from '../api/http/handlers/demo-handler';
import { demoToken } from '../auth/demo-token';
import { DEFAULT_POLICY } from '../contract/namespace-policy';
import { createApiKey } from '../operations/api-keys/create-api-key';
import { setFrozen } from '../operations/locks/for-people/set-frozen';
import { createNamespace } from '../operations/namespaces/create-namespace';
import type { OperationContext, Runtime } from '../operations/operation-context';

export interface Demo {
  /** Signs in any browser on this machine that opens it. */
  link: string;
  stop(): Promise<void>;
}

/** Starts the demo fleet against the server at `url`, with namespaces and keys of its own. */
export async function startDemo(runtime: Runtime, url: string): Promise<Demo> {
  const ctx = { runtime, actor: { kind: 'system' }, address: 'local', requestId: 'demo' } as const;
  const isFirstStart = (await runtime.namespaces.get(DEMO_FREEZE.namespace)) === null;
  for (const { name, policy } of DEMO_NAMESPACES) {
    if (await runtime.namespaces.get(name)) continue;
    const whole = policy && { policy: { ...DEFAULT_POLICY, ...policy } };
    await createNamespace(ctx, { name, backend: 'default', ...whole });
  }
  const keys = await demoKeys(ctx);
  const entry = join(process.cwd(), '.next/lockyard/fleet.mjs');
  if (isFirstStart) await setFrozen(ctx, 'freeze', { ...DEMO_FREEZE, rev: 0 });
  const { stop } = startFleet({ url, keys, entry });
  return { link: `${url}${DEMO_PATH}?token=${demoToken(runtime.secret)}`, stop };
}

/** Reuses the keys of an earlier start if they are still valid, so that keys do not accumulate. */
async function demoKeys(ctx: OperationContext): Promise<Record<string, string>> {
  const { apiKeys, config } = ctx.runtime;
  const file = join(config.dataDir, 'demo-keys.json');
  const stored = readKeys(file);
  const keys: Record<string, string> = {};
  const wanted = [
    ...DEMO_SERVICES.map((service) => ({ ...service, witness: false })),
    { name: DEMO_WITNESS, namespaces: [], witness: true },
  ];
  for (const { name, namespaces, witness } of wanted) {
    const known = stored[name];
    const isValid = known && (await apiKeys.verify(known).catch(() => null));
    keys[name] = isValid ? known : (await createApiKey(ctx, { name, namespaces, witness })).key;
  }
  writeFileSync(file, JSON.stringify(keys), { mode: 0o600 });
  return keys;
}

function readKeys(file: string): Record<string, string> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
  } catch {
    return {};
  }
}
