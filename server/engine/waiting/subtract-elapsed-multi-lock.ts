import type { MultiLockAnswer } from '../../core/multi-lock/multi-lock-command';
import { subtractElapsed } from './subtract-elapsed';

/** The answer to a multi-lock as of `elapsedMs` after its locks were read: see `subtractElapsed`. */
export function subtractElapsedMultiLock(
  answer: MultiLockAnswer,
  elapsedMs: number,
): MultiLockAnswer {
  if ('grants' in answer) {
    return { ...answer, grants: answer.grants.map((grant) => subtractElapsed(grant, elapsedMs)) };
  }
  if ('blockedBy' in answer) {
    return {
      ...answer,
      blockedBy: answer.blockedBy.map((lock) => subtractElapsed(lock, elapsedMs)),
    };
  }
  return answer;
}
