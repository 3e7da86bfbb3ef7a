import { FAILING } from './failing';
import { HOLDING } from './holding';
import { LOSING } from './losing';
import { WAITING } from './waiting';

/** One list for the clients in all languages, ours in TypeScript included. */
export const SCENARIOS = Object.entries({ ...HOLDING, ...WAITING, ...LOSING, ...FAILING });
