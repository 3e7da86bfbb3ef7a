'use client';

import { useState } from 'react';
import type { LockRow } from '@/server/contract/console/lock-row';
import { visibleText } from '@/server/core/format/visible-text';
import { lockPath } from '@/server/core/paths/console-path';
import { publishResult } from '../../actions/action-results';
import { useRequestId } from '../../actions/use-action-attempt';
import { rangeText } from '../../format/durations';
import { actOnEach } from '../../live/act-on-each';
import { isOutcomeUnknown, problemOf } from '../../live/problem';
import { useTRPCClient } from '../../live/trpc';
import { useStop } from '../../ui/controls/use-stop';
import type { NamedAct } from '../../ui/unanswered/unanswered-acts';
import { UnansweredNote } from '../../ui/unanswered/unanswered-note';
import { useFollowed } from '../../ui/unanswered/use-followed';
import { useSilence } from '../../ui/unanswered/use-silence';
import type { BulkAct, BulkResult } from './bulk-act';

export interface BulkRun {
  isBusy: boolean;
  isOver: boolean;
  /** Since when there is no answer, by this page's monotonic clock; null for the first seconds. */
  silentSince: number | null;
  /** By the ids of the locks. */
  results: ReadonlyMap<string, BulkResult>;
  /** Acts on each lock as it was seen: on one that has changed since, nothing is done. */
  run: (rows: readonly LockRow[], reason: string) => void;
  /** Sends no further request. */
  stop: () => void;
}

/**
 * Acts on many locks, with a request for each; once the dialog is closed, no more are sent.
 *
 * @param what the action, as it is called on the page
 */
export function useBulkRun(act: BulkAct, what: string, extendMs: number): BulkRun {
  const actOn = useActOn(act, extendMs);
  const followed = useFollowed();
  const [state, setState] = useState<'idle' | 'busy' | 'over'>('idle');
  const [results, setResults] = useState<ReadonlyMap<string, BulkResult>>(new Map());
  const { isStopped, stop } = useStop();
  const run = async (rows: readonly LockRow[], reason: string) => {
    setState('busy');
    const isOff = () => isStopped.current;
    await actOnEach(rows, isOff, async (row) => {
      const request = followed(nameOf(row, what), actOn(row, reason));
      const result = await request.catch(failure);
      setResults((old) => new Map(old).set(row.id, result));
    });
    setState('over');
  };
  return {
    isBusy: state === 'busy',
    isOver: state === 'over',
    silentSince: useSilence(state === 'busy', results.size),
    results,
    run: (rows, reason) => void run(rows, reason),
    stop,
  };
}

const nameOf = ({ namespace, name }: LockRow, what: string): NamedAct => ({
  what,
  subject: { name, href: lockPath(namespace, name) },
  Note: UnansweredNote,
});

function useActOn(act: BulkAct, extendMs: number) {
  const client = useTRPCClient();
  const requestId = useRequestId('bulk');
  return async (row: LockRow, reason: string): Promise<BulkResult> => {
    const { namespace, name, rev, hold } = row;
    if (act === 'freeze') {
      const ids = { namespace, name, rev, requestId: `${requestId}-${rev}` };
      const { outcome } = await client.locks.freeze.mutate({ ...ids, reason });
      publishResult(row.id, { kind: 'frozen' });
      return { kind: 'done', text: outcome };
    }
    const token = hold?.token ?? 0;
    const input = { namespace, name, token, rev, reason, requestId: `${requestId}-${token}` };
    if (act === 'extend') {
      const answer = await client.locks.extend.mutate({ ...input, extendMs });
      if (answer.outcome === 'changed') return { kind: 'changed' };
      publishResult(row.id, { kind: 'extended', token, byMs: extendMs });
      return { kind: 'done', text: `extended by ${rangeText(extendMs)}` };
    }
    if (act === 'ask') {
      const answer = await client.locks.askRelease.mutate(input);
      if (answer.outcome === 'changed') return { kind: 'changed' };
      return { kind: 'done', text: 'asked to release' };
    }
    const answer = await client.locks.forceRelease.mutate(input);
    if (answer.outcome === 'changed') return { kind: 'changed' };
    const { next } = answer;
    const to = next.kind === 'nobody' ? '' : `, ${next.kind} to ${visibleText(next.owner)}`;
    return { kind: 'done', text: `released${to}` };
  };
}

function failure(error: unknown): BulkResult {
  const problem = problemOf(error);
  return { kind: isOutcomeUnknown(problem) ? 'unclear' : 'failed', text: problem.text };
}
