import type { ClockStep } from '../observe/clock-watch';
import { recordNews } from './audit-log';
import type { ControlRuntime } from './operation-context';

/**
 * Records in the audit log that a clock was set: leases, sessions and the log's own instants depend
 * on it.
 */
export async function noteClockStep(runtime: ControlRuntime, step: ClockStep): Promise<void> {
  const { clock, ms } = step;
  const byMs = Math.abs(ms);
  const direction = ms < 0 ? 'back' : 'forward';
  const what = { act: 'clock.set', subject: clock, reason: '' } as const;
  await recordNews({ runtime, actor: null, address: 'local', requestId: '' }, what, {
    direction,
    byMs,
  });
}
