import { useState } from 'react';
import type { DeletionResult } from '@/server/contract/console/deletion-inputs';
import { deletionRequests } from '@/server/core/names/deletion-requests';
import { type Problem, problemOf, problemOfRest } from '../live/problem';
import { useTRPCClient } from '../live/trpc';
import { useStop } from '../ui/controls/use-stop';

/** Which names of one namespace: all that begin so, or these. */
export interface DeletionTarget {
  namespace: string;
  kind: 'lock' | 'counter';
  prefix?: string;
  names?: string[];
}

export interface DeletionProgress {
  isBusy: boolean;
  isOver: boolean;
  deleted: number;
  /** What was not deleted of what was tried. */
  left: DeletionResult[];
  problem: Problem | null;
  run: (chosen: DeletionTarget, atMost: number, reason: string) => Promise<void>;
  /** Begins no further request. */
  stop: () => void;
}

/**
 * Deletes request after request, until as many are gone as were asked for, no more can go, or the
 * dialog is gone.
 *
 * @param onGone called with the names that each request found gone or deleted
 */
export function useDeletion(
  onGone: (namespace: string, names: string[]) => void = () => {},
): DeletionProgress {
  const client = useTRPCClient();
  const { isStopped, stop } = useStop();
  const [isBusy, setBusy] = useState(false);
  const [isOver, setOver] = useState(false);
  const [deleted, setDeleted] = useState(0);
  const [left, setLeft] = useState<DeletionResult[]>([]);
  const [problem, setProblem] = useState<Problem | null>(null);
  const run = async (chosen: DeletionTarget, atMost: number, reason: string) => {
    setBusy(true);
    setProblem(null);
    let gone = 0;
    const request = (left: DeletionTarget, most: number) =>
      client.locks.delete.mutate({ ...left, atMost: most, reason });
    try {
      for await (const answer of deletionRequests(chosen, atMost, request, isStopped)) {
        const { results } = answer;
        gone += answer.deleted;
        setDeleted(gone);
        setLeft((before) => leftAfter(before, results));
        const isOff = ({ outcome }: DeletionResult) => outcome === 'deleted' || outcome === 'gone';
        onGone(
          chosen.namespace,
          results.filter(isOff).map(({ name }) => name),
        );
      }
    } catch (error) {
      setProblem(gone > 0 ? problemOfRest(error) : problemOf(error));
    } finally {
      setBusy(false);
      setOver(true);
    }
  };
  return { isBusy, isOver, deleted, left, problem, run, stop };
}

/** What was not deleted, by the last request that tried each name: a prefix is looked up again. */
export function leftAfter(before: DeletionResult[], results: DeletionResult[]): DeletionResult[] {
  const tried = new Set(results.map(({ name }) => name));
  const others = before.filter(({ name }) => !tried.has(name));
  return [...others, ...results.filter(({ outcome }) => outcome !== 'deleted')];
}
