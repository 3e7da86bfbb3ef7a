import type { SetCapacityAnswer } from '../../../contract/console/operator-answers';
import type { Draft } from '../../draft';
import { applyExpiries, handOff, revokeOffers } from '../expire-and-promote';
import type { SetCapacityCommand } from '../lock-command';
import { capacityOf, permitsOf, permitsTaken } from '../permits';

/**
 * Changes how many permits may be held at the same time, if the capacity is still the one that the
 * operator saw. Holders keep their permits, even if these exceed the new capacity: then nothing is
 * granted until enough are released. Waiters keep their places; the capacity cannot be set below
 * what one of them wants.
 */
export function decideSetCapacity(draft: Draft, command: SetCapacityCommand): SetCapacityAnswer {
  const replay = draft.replay<SetCapacityAnswer>(command.request);
  if (replay) return replay;
  applyExpiries(draft);
  const { capacity, by, reason, request } = command;
  const named = capacityOf(draft.record)?.named ?? capacity;
  const refusal = refusalOf(draft, command);
  if (refusal === null) {
    draft.change({ capacity: { inForce: capacity, named } });
    draft.addEvent('capacity', { service: '', owner: '' }, { capacity, by, reason });
    // The offers were made under the former capacity.
    if (permitsTaken(draft.record) > capacity) revokeOffers(draft);
  }
  handOff(draft);
  if (refusal) return { ...refusal, rev: draft.currentRev };
  const { holds, queue } = draft.record;
  const outcome = 'capacitySet' as const;
  const inUse = permitsOf(holds);
  const answer = { outcome, rev: draft.rev, capacity, inUse, queueLength: queue.length };
  draft.remember(request, answer, draft.now);
  return answer;
}

type Refusal = Exclude<SetCapacityAnswer, { outcome: 'capacitySet' }>;

/** Why this capacity cannot be set; null: it can. */
function refusalOf(
  { record, currentRev: rev }: Draft,
  command: SetCapacityCommand,
): Refusal | null {
  const { seen, capacity } = command;
  const present = capacityOf(record)?.inForce ?? null;
  if (present !== seen) return { outcome: 'otherCapacity', rev, capacity: present };
  const waiter = record.queue.find(({ permits = 0 }) => permits > capacity);
  if (!waiter) return null;
  const { owner, service, permits = 0 } = waiter;
  return { outcome: 'waiterWantsMore', rev, owner, service, permits };
}
