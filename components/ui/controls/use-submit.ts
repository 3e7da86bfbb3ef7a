'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { isOutcomeUnknown, NO_ANSWER, type Problem, problemOf } from '../../live/problem';
import { followAct, type NamedAct } from '../unanswered/unanswered-acts';
import { useSilence } from '../unanswered/use-silence';

/**
 * Waits for the answer of an action's request. If the dialog is closed before it comes, what
 * follows in the action is left out, and the outcome is shown on the page.
 */
export type Send = <A>(request: Promise<A>) => Promise<A>;

/** What is under way; `act` undefined: its outcome is not shown once its dialog is closed. */
interface OpenRequests {
  act: NamedAct | undefined;
  sentAt: number;
  requests: Set<Promise<unknown>>;
}

/**
 * Runs one attempt of an action at a time, and keeps the problem of the last one that failed. If
 * the outcome is unknown, or others changed the subject, the page is read again to show its state.
 *
 * While there is no answer the same attempt may be made again, if repeating it is safe; the first
 * answer then counts.
 *
 * @returns `silentSince`: since when there is no answer, null for the first seconds; `mayRepeat`:
 *   the latest attempt has none either
 */
export function useSubmit() {
  const queries = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [attempt, setAttempt] = useState(0);
  const silentSince = useSilence(isBusy, null);
  const mayRepeat = useSilence(isBusy, attempt) !== null;
  const latest = useRef(0);
  const open = useRef<OpenRequests>({ act: undefined, sentAt: 0, requests: new Set() });

  const send: Send = (request) => {
    const { requests } = open.current;
    requests.add(request);
    return new Promise((resolve, reject) => {
      request.then(
        (answer) => {
          // Another attempt was answered, or the dialog is closed.
          if (!requests.has(request)) return;
          requests.clear();
          resolve(answer);
        },
        (error: unknown) => {
          if (requests.delete(request)) reject(error);
        },
      );
    });
  };

  /** Leaves what is under way to the page, which shows its outcome. */
  const leave = () => {
    const { act, sentAt, requests } = open.current;
    const left = [...requests];
    requests.clear();
    if (!act || left.length === 0) return;
    const answer = Promise.any(left).catch(({ errors }: AggregateError) =>
      Promise.reject(errors[0]),
    );
    followAct(act, sentAt, answer);
    answer.catch(() => undefined).finally(() => void queries.invalidateQueries());
  };
  const leaving = useRef(leave);
  useEffect(() => {
    leaving.current = leave;
  });
  useEffect(() => () => leaving.current(), []);

  const submit = async (
    action: (send: Send) => Promise<unknown>,
    act?: NamedAct,
  ): Promise<void> => {
    latest.current += 1;
    const own = latest.current;
    const before = isBusy ? NO_ANSWER : problem;
    if (!isBusy) open.current = { act, sentAt: performance.now(), requests: new Set() };
    setAttempt(own);
    setBusy(true);
    setProblem(null);
    try {
      await action(send);
      latest.current = own;
    } catch (error) {
      if (own !== latest.current) return;
      const met = problemOf(error, before);
      setProblem(met);
      if (isOutcomeUnknown(met) || met.reason === 'CONFLICT') void queries.invalidateQueries();
    } finally {
      if (own === latest.current) setBusy(false);
    }
  };
  /** Forgets the problem, and the action if it is under way. */
  const clear = () => {
    leave();
    latest.current += 1;
    setBusy(false);
    setProblem(null);
  };
  return { isBusy, problem, silentSince, mayRepeat, submit, clear };
}
