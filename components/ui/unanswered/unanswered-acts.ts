'use client';

import { type ComponentType, useSyncExternalStore } from 'react';
import { type Problem, problemOf } from '../../live/problem';

/** An action, as it is called once its dialog is closed. */
export interface NamedAct {
  /** Such as `Extend by 5 min`. */
  what: string;
  /** What it acts on, and its page. */
  subject?: { name: string; href: string };
  /** Added where it was applied, but its answer is of no use any more. */
  afterwards?: string;
  /** Shows it: loaded with its dialog, since a server that does not respond loads nothing. */
  Note: ComponentType<{ act: UnansweredAct }>;
}

/** An action whose dialog was closed before its answer came; `outcome` is null until then. */
export interface UnansweredAct extends NamedAct {
  id: number;
  /** This page's monotonic clock when it was sent. */
  sentAt: number;
  outcome: LateOutcome | null;
  isHidden: boolean;
}

type LateOutcome = { afterMs: number } & (
  | { kind: 'applied' | 'refused' }
  | { kind: 'failed'; problem: Problem }
);

/** How long it is shown that an action was applied; that it was not is shown until it is hidden. */
const APPLIED_SHOWN_MS = 30_000;

/** The outcomes of answers that say that nothing was done. */
const REFUSALS = [
  'changed',
  'otherFreeze',
  'otherCapacity',
  'waiterWantsMore',
  'notReassigned',
  'exists',
  'outOfBounds',
  'nothing',
];

let lastId = 0;
const NONE: readonly UnansweredAct[] = [];
let acts = NONE;
const listeners = new Set<() => void>();

function change(next: readonly UnansweredAct[]) {
  acts = next;
  for (const listener of listeners) listener();
}

const patch = (id: number, part: Partial<UnansweredAct>) =>
  change(acts.map((act) => (act.id === id ? { ...act, ...part } : act)));

/** Shows an action without an answer, and its outcome once that comes. */
export function followAct(named: NamedAct, sentAt: number, answer: Promise<unknown>): void {
  lastId += 1;
  const id = lastId;
  change([...acts, { ...named, id, sentAt, outcome: null, isHidden: false }]);
  const settle = (
    outcome: { kind: 'applied' | 'refused' } | { kind: 'failed'; problem: Problem },
  ) => patch(id, { outcome: { ...outcome, afterMs: performance.now() - sentAt }, isHidden: false });
  answer.then(
    (given) => {
      const isRefused = isRefusal(given);
      settle({ kind: isRefused ? 'refused' : 'applied' });
      if (!isRefused) setTimeout(() => hideAct(id), APPLIED_SHOWN_MS);
    },
    (error: unknown) => settle({ kind: 'failed', problem: problemOf(error) }),
  );
}

/** Hides an action; one without an answer is shown again when that comes. */
export function hideAct(id: number): void {
  const isOver = acts.some((act) => act.id === id && act.outcome !== null);
  if (isOver) change(acts.filter((act) => act.id !== id));
  else patch(id, { isHidden: true });
}

/** The actions whose dialogs were closed before their answers came, the first one first. */
export function useUnansweredActs(): readonly UnansweredAct[] {
  return useSyncExternalStore(subscribe, unansweredActs, () => NONE);
}

/** What `useUnansweredActs` returns now. */
export const unansweredActs = (): readonly UnansweredAct[] => acts;

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** @param answer null: the action was refused, and its dialog would have said why */
function isRefusal(answer: unknown): boolean {
  if (answer === null) return true;
  if (typeof answer !== 'object') return false;
  const { outcome, kind } = answer as { outcome?: string; kind?: string };
  return REFUSALS.includes(outcome ?? kind ?? '');
}
