import type { ClockStep } from '../../monitoring/maintenance/clock-watch';
import type { ControlRuntime } from '../operation-context';
import { recordSystemEvent } from './audit-log';

/**
 * Records in the audit log that a clock was set: leases, sessions and the log's own instants depend
 * on it.
 */
export async function auditClockStep(runtime: ControlRuntime, step: ClockStep): Promise<void> {
  const { clock, ms } = step;
  const byMs = Math.abs(ms);
  const direction = ms < 0 ? 'back' : 'forward';
  const what = { act: 'clock.set', subject: clock, reason: '' } as const;
  await recordSystemEvent({ runtime, actor: null, address: 'local', requestId: '' }, what, {
    direction,
    byMs,
  });
}
