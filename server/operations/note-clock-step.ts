import type { ClockStep } from '../observe/clock-watch';
import { recordNews } from './audit-log';
import type { ControlRuntime } from './operation-context';

/**
 * Writes down that a clock was set: leases, sessions and the instants of the log itself are told by
 * it.
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
