import type { SetAnswer } from '../../contract/multi-lock/answers';
import { ageAnswer } from './subtract-elapsed';

/** The answer to a multi-lock as of `elapsedMs` after its locks were read: see `ageAnswer`. */
export function ageSetAnswer(answer: SetAnswer, elapsedMs: number): SetAnswer {
  if ('grants' in answer) {
    return { ...answer, grants: answer.grants.map((grant) => ageAnswer(grant, elapsedMs)) };
  }
  if ('blockedBy' in answer) {
    return { ...answer, blockedBy: answer.blockedBy.map((lock) => ageAnswer(lock, elapsedMs)) };
  }
  return answer;
}
