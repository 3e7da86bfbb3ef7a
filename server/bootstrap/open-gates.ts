import { createHash } from 'node:crypto';
import { CounterGates } from '../engine/gate/counter-gates';
import type { ControlRuntime } from '../operations/operation-context';
import { openRedisGate } from '../storage/redis-gate/redis-gate';

const SCOPE_CHARS = 16;

/**
 * The gates of one process. Nothing connects before a namespace with a gate is used. The keys in a
 * Redis derive from the secret, so all processes of one installation share them, and no other
 * installation does.
 */
export function openGates(control: ControlRuntime, processId: string): CounterGates {
  const { config, clock, log, namespaces, secret } = control;
  const urls = new Map(config.gates.map(({ id, url }) => [id, url]));
  return new CounterGates({
    ids: [...urls.keys()],
    open: (gate, backend) => {
      const scope = createHash('sha256').update(`${secret}\ngate of ${backend}`).digest('hex');
      return openRedisGate(urls.get(gate) ?? '', {
        scope: scope.slice(0, SCOPE_CHARS),
        // Two gates may name one Redis: each numbers its messages and reports its steps separately.
        process: `${processId}.${gate}`,
      });
    },
    gateIdOf: (namespace) => namespaces.policyOf(namespace).gate,
    clock,
    log,
  });
}
