import { type BackendLoss, LOSS_LABELS } from '../../contract/console/backend-health';
import { BrokenInvariant } from '../../core/record-invariants';
import type { EngineOptions } from '../../engine/engine-context';
import type { Log } from '../../platform/log';

/** Returns a function that logs each command that failed because of a fault of Lockyard. */
export function logFault(log: Log, backend: string): NonNullable<EngineOptions['onFault']> {
  return ({ namespace, name, kind = 'lock' }, error) => {
    const where = { backend, namespace, name, kind };
    if (error instanceof BrokenInvariant) {
      const { invariant } = error;
      log.error({ ...where, invariant }, 'A command was refused because an invariant is broken');
    } else {
      log.error({ ...where, err: error }, 'A command failed because of a programming error');
    }
  };
}

/** Returns a function that logs a data loss of a backend. `pauseMs`: the least pause of grants. */
export function logLoss(log: Log, backend: string): (loss: BackendLoss) => void {
  return ({ at, what, grantsFrom }) =>
    log.error(
      { backend, what: LOSS_LABELS[what], pauseMs: Math.max(0, grantsFrom - at) },
      'A data loss of a backend was found: its earlier holds have ended',
    );
}
