import { listCases } from './list-cases';
import type { LookingCase } from './looking-case';
import { pageCases } from './page-cases';

/** Every case of `npm run bench -- looking`, in the order in which they are measured. */
export const lookingCases: LookingCase[] = [...pageCases, ...listCases];
