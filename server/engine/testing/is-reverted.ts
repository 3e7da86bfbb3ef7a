import type { Granted } from '../../contract/lock/answers';
import { isLate } from '../../core/lock/hold-lifecycle';
import type { ModelStep } from './model-step';
import type { Prediction } from './pure-model';

type Command = Extract<ModelStep, { command: unknown }>['command'];

/** Whether too little is left of a grant, so that the engine reverts it. */
export function isReverted(command: Command, { answered }: Prediction): boolean {
  const { outcome, expiresInMs = 0 } = (answered ?? {}) as Partial<Granted>;
  const isGranted = command.verb === 'acquire' && outcome === 'granted';
  return isGranted && isLate(command.leaseMs, expiresInMs);
}
