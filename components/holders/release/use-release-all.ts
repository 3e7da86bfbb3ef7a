import { useState } from 'react';
import type { ForceReleaseAnswer } from '@/server/contract/console/operator-answers';
import type { HeldLock } from '@/server/contract/console/waits/holder-rows';
import { lockPath } from '@/server/core/paths/console-path';
import { useRequestId } from '../../actions/use-action-attempt';
import { actOnEach } from '../../live/act-on-each';
import { isOutcomeUnknown, problemOf } from '../../live/problem';
import { useTRPCClient } from '../../live/trpc';
import { useStop } from '../../ui/controls/use-stop';
import { UnansweredNote } from '../../ui/unanswered/unanswered-note';
import { useFollowed } from '../../ui/unanswered/use-followed';
import { useSilence } from '../../ui/unanswered/use-silence';
import type { ReleaseResult } from './release-plan';

export interface ReleaseAll {
  isBusy: boolean;
  isOver: boolean;
  /** Since when there is no answer, by this page's monotonic clock; null for the first seconds. */
  silentSince: number | null;
  /** By the index of each lock; absent: not tried yet. */
  results: ReadonlyMap<number, ReleaseResult>;
  run: (reason: string) => Promise<void>;
  /** Begins no further release. */
  stop: () => void;
}

/**
 * Ends these holds one by one, each only if it is still held with the token that was seen. Once the
 * dialog is gone, it begins no further release.
 */
export function useReleaseAll(locks: readonly HeldLock[]): ReleaseAll {
  const client = useTRPCClient();
  const requestId = useRequestId();
  const { isStopped, stop } = useStop();
  const followed = useFollowed();
  const [isBusy, setBusy] = useState(false);
  const [isOver, setOver] = useState(false);
  const [results, setResults] = useState<ReadonlyMap<number, ReleaseResult>>(new Map());
  const isOff = () => isStopped.current;
  const release = ({ namespace, name, token, rev }: HeldLock, reason: string) => {
    const input = { namespace, name, token, rev, reason, requestId: `${requestId}-${token}` };
    const subject = { name, href: lockPath(namespace, name) };
    const act = { what: 'Release', subject, Note: UnansweredNote };
    const send = () => followed(act, client.locks.forceRelease.mutate(input));
    return releaseHold(send, isOff);
  };
  const run = async (reason: string) => {
    setBusy(true);
    await actOnEach(locks, isOff, async (lock, place) => {
      const result = await release(lock, reason);
      setResults((before) => new Map(before).set(place, result));
    });
    setBusy(false);
    setOver(true);
  };
  const silentSince = useSilence(isBusy, results.size);
  return { isBusy, isOver, silentSince, results, run, stop };
}

/**
 * Sends a release, and sends it again once if no answer came.
 *
 * @param isStopped true: it is not sent again
 * @param send uses the same request id each time, so that the release is not applied twice, and a
 *   repeated one gets the answer of the first
 */
export async function releaseHold(
  send: () => Promise<ForceReleaseAnswer>,
  isStopped: () => boolean,
): Promise<ReleaseResult> {
  try {
    const answer = await send().catch((error) => {
      if (!isOutcomeUnknown(problemOf(error)) || isStopped()) throw error;
      // That the second one was not applied does not mean that the first was not.
      return send().catch(() => Promise.reject(error));
    });
    return { kind: 'answered', answer };
  } catch (error) {
    return { kind: 'failed', message: problemOf(error).text };
  }
}
