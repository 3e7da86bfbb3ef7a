import type { EngineOptions } from '../engine/engine-context';
import type { Log } from '../platform/log';

/** Returns a function that logs each command refused because of a fault of Lockyard. */
export function logBrokenInvariant(
  log: Log,
  backend: string,
): NonNullable<EngineOptions['onBrokenInvariant']> {
  return ({ namespace, name, kind = 'lock' }, { invariant }) =>
    log.error(
      { backend, namespace, name, kind, invariant },
      'A command was refused because an invariant is broken',
    );
}
