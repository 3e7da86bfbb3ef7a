import { useState } from 'react';
import type { DeletionResult } from '@/server/contract/console/deletion-inputs';
import { deletionRequests } from '@/server/core/deletion/deletion-requests';
import { plural } from '@/server/core/format/numbers';
import { type Problem, problemOf, problemOfRest } from '../live/problem';
import { useTRPCClient } from '../live/trpc';
import { useStop } from '../ui/controls/use-stop';
import { UnansweredNote } from '../ui/unanswered/unanswered-note';
import { useFollowed } from '../ui/unanswered/use-followed';
import { useSilence } from '../ui/unanswered/use-silence';

/** The names in one namespace that are to be deleted: all with a prefix, or those of a list. */
export interface DeletionTarget {
  namespace: string;
  kind: 'lock' | 'counter';
  prefix?: string;
  names?: string[];
}

export interface DeletionProgress {
  isBusy: boolean;
  isOver: boolean;
  /** Since when there is no answer, by this page's monotonic clock; null for the first seconds. */
  silentSince: number | null;
  deleted: number;
  /** The names that were tried but not deleted. */
  left: DeletionResult[];
  problem: Problem | null;
  run: (chosen: DeletionTarget, atMost: number, reason: string) => Promise<void>;
  /** Sends no further request. */
  stop: () => void;
}

/**
 * Deletes in several requests, until as many are gone as were asked for, no more can be deleted, or
 * the dialog is gone.
 *
 * @param onGone called with the names that each request found gone or deleted
 */
export function useDeletion(
  onGone: (namespace: string, names: string[]) => void = () => {},
): DeletionProgress {
  const client = useTRPCClient();
  const { isStopped, stop } = useStop();
  const followed = useFollowed();
  const [isBusy, setBusy] = useState(false);
  const [isOver, setOver] = useState(false);
  const [answers, setAnswers] = useState(0);
  const silentSince = useSilence(isBusy, answers);
  const [deleted, setDeleted] = useState(0);
  const [left, setLeft] = useState<DeletionResult[]>([]);
  const [problem, setProblem] = useState<Problem | null>(null);
  const run = async (chosen: DeletionTarget, atMost: number, reason: string) => {
    setBusy(true);
    setProblem(null);
    let gone = 0;
    const act = { what: `Delete ${plural(atMost, chosen.kind)}`, Note: UnansweredNote };
    const request = (left: DeletionTarget, most: number) =>
      followed(act, client.locks.delete.mutate({ ...left, atMost: most, reason }));
    try {
      for await (const answer of deletionRequests(chosen, atMost, request, isStopped)) {
        const { results } = answer;
        setAnswers((count) => count + 1);
        gone += answer.deleted;
        setDeleted(gone);
        setLeft((before) => leftAfter(before, results));
        const isGone = ({ outcome }: DeletionResult) => outcome === 'deleted' || outcome === 'gone';
        onGone(
          chosen.namespace,
          results.filter(isGone).map(({ name }) => name),
        );
      }
    } catch (error) {
      setProblem(gone > 0 ? problemOfRest(error) : problemOf(error));
    } finally {
      setBusy(false);
      setOver(true);
    }
  };
  return { isBusy, isOver, silentSince, deleted, left, problem, run, stop };
}

/** What was not deleted, as of the last request for each name: a prefix finds some repeatedly. */
export function leftAfter(before: DeletionResult[], results: DeletionResult[]): DeletionResult[] {
  const tried = new Set(results.map(({ name }) => name));
  const others = before.filter(({ name }) => !tried.has(name));
  return [...others, ...results.filter(({ outcome }) => outcome !== 'deleted')];
}
