'use client';

import { useEffect, useRef } from 'react';
import { followAct, type NamedAct } from './unanswered-acts';

interface OpenRequest {
  act: NamedAct;
  sentAt: number;
  answer: Promise<unknown>;
}

/**
 * For a dialog that sends many requests: those that have no answer when it is closed are shown on
 * the page, each with its outcome once that comes.
 */
export function useFollowed(): <A>(act: NamedAct, request: Promise<A>) => Promise<A> {
  const open = useRef(new Set<OpenRequest>());
  useEffect(() => {
    const requests = open.current;
    return () => {
      for (const { act, sentAt, answer } of requests) followAct(act, sentAt, answer);
    };
  }, []);
  return async (act, answer) => {
    const request = { act, sentAt: performance.now(), answer };
    open.current.add(request);
    try {
      return await answer;
    } finally {
      open.current.delete(request);
    }
  };
}
