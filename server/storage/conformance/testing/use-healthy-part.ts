import type { LockEngine } from '../../../engine/lock-engine';
import { acquire, pause, release, renew } from '../../../engine/testing/engine-rig';
import { type RecordedAnswer, recordAnswer } from './record-answer';
import type { NewKey } from './server-kind';

const REST_MS = 20;

/** Acquires locks one after another, renews each once and releases it. Returns every answer. */
export async function useHealthyPart(
  here: { engine: LockEngine },
  newKey: NewKey,
  continues: () => boolean,
): Promise<RecordedAnswer[]> {
  const answers: RecordedAnswer[] = [];
  while (continues()) {
    const key = newKey();
    const taken = await recordAnswer(acquire(here, key, 'neighbour'));
    answers.push(taken);
    if (taken.token !== null) {
      answers.push(await recordAnswer(renew(here, key, 'neighbour', taken.token)));
      answers.push(await recordAnswer(release(here, key, 'neighbour', taken.token)));
    }
    await pause(REST_MS);
  }
  return answers;
}
