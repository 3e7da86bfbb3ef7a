import type { CounterEvent } from '../../core/counter/counter-event';
import type { LockEvent } from '../../core/lock/lock-event';
import type { RepeatedCall } from './repeated-calls';

/** The answer to a call that was applied, and the kinds of its event. */
const EFFECTS = {
  acquire: { outcome: 'granted', kinds: ['granted', 'reentered'] },
  release: { outcome: 'released', kinds: ['released', 'decremented'] },
  add: { outcome: 'applied', kinds: ['added'] },
} as const;

/** The answers to an acquire that was not granted, or whose hold has ended. */
const NO_GRANT = ['held', 'timeout', 'ended'];

/** The calls on one lock that were not applied exactly once, or got different answers. */
export function lockFaults(calls: RepeatedCall[], history: LockEvent[]): string[] {
  const tokens = history.flatMap(({ kind, token = 0 }) => (kind === 'granted' ? [token] : []));
  const repeated = tokens.filter((token, i) => token <= (tokens[i - 1] ?? 0));
  const faults = repeated.map((token) => `token ${token} is not above the one before`);
  for (const call of calls) {
    const kinds: readonly string[] = EFFECTS[call.verb].kinds;
    const events = history.filter(
      ({ kind, owner }) => owner === call.owner && kinds.includes(kind),
    );
    faults.push(...callFaults(call, events));
    const token = events[0]?.token;
    const isOther = call.answers.some((answer) => answer.token && answer.token !== token);
    if (isOther) faults.push(`the history has token ${token} of ${JSON.stringify(call)}`);
  }
  return faults;
}

/** `lockFaults` for a counter that began at 0. */
export function counterFaults(calls: RepeatedCall[], history: CounterEvent[]): string[] {
  const faults: string[] = [];
  const added = history.filter(({ kind }) => kind === 'added');
  for (const call of calls) {
    const revs = call.answers.map(({ rev }) => rev);
    const events = added.filter(({ rev, delta }) => revs.includes(rev) && delta === call.delta);
    faults.push(...callFaults(call, events));
  }
  // With an id, every call was repeated until it was answered.
  if (added.length !== calls.length) faults.push(`${calls.length} adds, ${added.length} applied`);
  const sum = calls.reduce((total, { delta }) => total + delta, 0);
  if (added.at(-1)?.value !== sum) faults.push(`the sum is ${sum}, not ${added.at(-1)?.value}`);
  return faults;
}

function callFaults(call: RepeatedCall, events: { rev: number }[]): string[] {
  const { outcome } = EFFECTS[call.verb];
  const successes = call.answers.filter((answer) => answer.outcome === outcome);
  const others = call.answers.filter((answer) => answer.outcome !== outcome);
  const mayFail = call.verb === 'acquire' ? NO_GRANT : [];
  const isWrong =
    events.length !== Math.min(successes.length, 1) ||
    new Set(successes.map(whatIsFixed)).size > 1 ||
    others.some((answer) => !mayFail.includes(answer.outcome));
  return isWrong ? [`applied ${events.length} times: ${JSON.stringify(call)}`] : [];
}

/** The part of an answer that is the same for every repeat of its request. */
function whatIsFixed({ token, rev, value, holdCount }: RepeatedCall['answers'][number]): string {
  return JSON.stringify([token, rev, value, holdCount]);
}
