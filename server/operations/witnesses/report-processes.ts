import { LockyardError } from '../../contract/errors';
import type { ServiceAnswer, ServiceInput } from '../../contract/service-api';
import { printableEvidence } from '../../monitoring/liveness/printable-evidence';
import { askDatabase } from '../ask-database';
import type { OperationContext } from '../operation-context';

/** A killed process is reported as dead within this time. */
const LOOK_EVERY_MS = 1_000;

/**
 * Stores a witness's reports on processes of its machine, and returns those to check next. A
 * witness can report only on the machine, boot and process id namespace that it names.
 *
 * @throws LockyardError `FORBIDDEN` unless the key was made for a witness; `BACKEND_DOWN`
 */
export async function reportProcesses(
  { runtime, actor }: OperationContext,
  { processes, ...host }: ServiceInput<'witness.report'>,
): Promise<ServiceAnswer<'witness.report'>> {
  if (actor?.kind !== 'service') {
    throw new LockyardError('UNAUTHENTICATED', 'An API key is required.');
  }
  if (!actor.isWitness) {
    throw new LockyardError('FORBIDDEN', 'This needs a key made with: keys create --witness.');
  }
  runtime.limits.spend(actor, null, 1);
  const { evidence } = runtime;
  const witness = { kind: 'host', witness: actor.service } as const;
  const observed = processes.flatMap(({ pid, pidStart, state, evidence: seen }) => {
    const holder = evidence.holders.ofProcess({ ...host, pid: String(pid), pidStart });
    return holder ? [[holder, { state, evidence: printableEvidence(seen) }] as const] : [];
  });
  await askDatabase(() => evidence.note(witness, observed));
  const next = evidence.questionsFor(host, witness);
  return {
    processes: next.map(({ pid, pidStart }) => ({ pid: Number(pid), pidStart })),
    lookAgainInMs: LOOK_EVERY_MS,
  };
}
