import { type BackendLoss, LOSS_LABELS } from '../../contract/console/backend-health';
import { recordSystemEvent } from '../../operations/audit/audit-log';
import type { ControlRuntime } from '../../operations/operation-context';

/** Returns a function that records a data loss of a backend in the audit log: holds have ended. */
export function auditLoss(runtime: ControlRuntime, backend: string): (loss: BackendLoss) => void {
  return ({ at, what, grantsFrom }) => {
    const ctx = { runtime, actor: null, address: 'local', requestId: '' };
    const act = { act: 'backend.dataLoss', subject: backend, reason: '' } as const;
    const pauseMs = Math.max(0, grantsFrom - at);
    const result = { message: LOSS_LABELS[what], ...(pauseMs > 0 && { pauseMs }) };
    recordSystemEvent(ctx, act, result).catch((err: unknown) =>
      runtime.log.warn({ err, backend }, 'A data loss could not be written to the audit log'),
    );
  };
}
