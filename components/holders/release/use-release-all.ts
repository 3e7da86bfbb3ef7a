import { useRef, useState } from 'react';
import type { HeldLock } from '@/server/contract/console/waits/holder-rows';
import { actOnEach } from '../../live/act-on-each';
import { isOutcomeUnknown, problemOf } from '../../live/problem';
import { useTRPCClient } from '../../live/trpc';
import type { ReleaseResult } from './release-plan';

export interface ReleaseAll {
  isBusy: boolean;
  isOver: boolean;
  /** By the place of each lock; absent: not tried yet. */
  results: ReadonlyMap<number, ReleaseResult>;
  run: (reason: string) => Promise<void>;
  /** Begins no further release. */
  stop: () => void;
}

/** Ends these holds one by one, each only if it is still held with the token that was seen. */
export function useReleaseAll(locks: readonly HeldLock[]): ReleaseAll {
  const client = useTRPCClient();
  const isStopped = useRef(false);
  const [isBusy, setBusy] = useState(false);
  const [isOver, setOver] = useState(false);
  const [results, setResults] = useState<ReadonlyMap<number, ReleaseResult>>(new Map());
  const release = async (lock: HeldLock, reason: string): Promise<ReleaseResult> => {
    const { namespace, name, token, rev } = lock;
    // Sent again with the same id, it is not applied twice, and answers as the first one did.
    const input = { namespace, name, token, rev, reason, requestId: crypto.randomUUID() };
    const send = () => client.locks.forceRelease.mutate(input);
    try {
      const answer = await send().catch((error) => {
        if (isOutcomeUnknown(problemOf(error))) return send();
        throw error;
      });
      return { kind: 'answered', answer };
    } catch (error) {
      return { kind: 'failed', message: problemOf(error).text };
    }
  };
  const run = async (reason: string) => {
    setBusy(true);
    const isOff = () => isStopped.current;
    await actOnEach(locks, isOff, async (lock, place) => {
      const result = await release(lock, reason);
      setResults((before) => new Map(before).set(place, result));
    });
    setBusy(false);
    setOver(true);
  };
  const stop = () => {
    isStopped.current = true;
  };
  return { isBusy, isOver, results, run, stop };
}
