import { createHash } from 'node:crypto';
import { CounterGates } from '../engine/gate/counter-gates';
import type { ControlRuntime } from '../operations/operation-context';
import { openRedisGate } from '../storage/redis-gate/redis-gate';

const SCOPE_CHARS = 16;

/**
 * The gates of one process. Nothing connects before a namespace with a gate is used. All processes
 * of one installation share a secret, so they use the same keys in a Redis, and no other
 * installation uses these.
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
        // Two gates may name one Redis: each numbers its messages and reports its steps by itself.
        process: `${processId}.${gate}`,
      });
    },
    gateIdOf: (namespace) => namespaces.policyOf(namespace).gate,
    clock,
    log,
  });
}
