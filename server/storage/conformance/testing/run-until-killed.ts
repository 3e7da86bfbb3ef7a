import type { LockEngine } from '../../../engine/lock-engine';
import { acquire } from '../../../engine/testing/engine-rig';
import type { RecordedCall } from '../../../engine/testing/history-checker';
import { insist } from '../../../engine/testing/insist';
import { RandomCaller } from '../../../engine/testing/random-caller';
import { seeded } from '../../../engine/testing/seeded';
import type { RecordKey } from '../../record-store';
import { recordAnswer } from './record-answer';

/** A line that a victim prints: one when a call begins, and one when it was answered. */
export interface VictimLine {
  id: number;
  /** Its instants are epoch milliseconds. */
  call: RecordedCall;
}

/**
 * The task of a victim: to acquire `kept` for a minute, and then to contend with itself for the
 * other locks until it is killed.
 */
export interface VictimTask {
  seed: number;
  kept: RecordKey;
  keys: RecordKey[];
}

const CALLERS = 6;

/** The main function of a victim, which reports every call on its standard output. */
export async function runUntilKilled(
  member: { engine: LockEngine },
  { seed, kept, keys }: VictimTask,
): Promise<void> {
  const ids = new Map<RecordedCall, number>();
  const note = (call: RecordedCall) => {
    const id = ids.get(call) ?? ids.size;
    ids.set(call, id);
    const { timeOrigin } = performance;
    const endedAt = call.endedAt && call.endedAt + timeOrigin;
    const line: VictimLine = {
      id,
      call: { ...call, startedAt: call.startedAt + timeOrigin, endedAt },
    };
    process.stdout.write(`${JSON.stringify(line)}\n`);
  };
  const take = () => acquire(member, kept, 'keeper', { leaseMs: 60_000, requestId: 'kept' });
  await recordAnswer(insist(take));
  const random = seeded(seed);
  const callers = Array.from({ length: CALLERS }, (_, i) => {
    const owner = `${process.pid}-${i}`;
    return new RandomCaller({ member, owner, keys, random: seeded(random() * 2 ** 31), note });
  });
  await Promise.all(callers.map((caller) => caller.live(() => true)));
}
