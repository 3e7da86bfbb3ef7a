export type Granted<A> = Extract<A, { outcome: 'granted' }>;
export type Queued<A> = Extract<A, { outcome: 'queued' }>;

export function isGranted<A extends { outcome: string }>(answer: A): answer is Granted<A> {
  return answer.outcome === 'granted';
}

export function isQueued<A extends { outcome: string }>(answer: A): answer is Queued<A> {
  return answer.outcome === 'queued';
}
