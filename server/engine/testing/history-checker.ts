/** One call as its caller saw it. Instants are on one monotonic clock, in milliseconds. */
export interface RecordedCall {
  lock: string;
  verb: 'acquire' | 'reenter' | 'renew' | 'release' | 'force';
  startedAt: number;
  /** Null: it was never answered. */
  endedAt: number | null;
  /** `unknown`: it may have been applied, also if it was never answered. */
  outcome: 'ok' | 'refused' | 'unknown';
  /** The token of the hold that an acquire was granted, or that another call named. */
  token: number | null;
  /** The lease that an acquire, a re-entry or a renewal asked for. */
  leaseMs: number;
  /** The longest wait of an acquire; absent: none. */
  waitMs?: number;
  requestId?: string;
}

/** A contradiction that no order of events on any server can explain. */
export interface Violation {
  rule: 'C1 unique' | 'C2 order' | 'C3 exclusion' | 'C4 gaps' | 'C5 no zombie success';
  lock: string;
  what: string;
}

export interface CheckOptions {
  /** How far the server's clock and this one may drift apart within one lease. */
  toleranceMs?: number;
  /** The number of a lock's grants that were reverted without reaching a caller. */
  revertedGrants?: (lock: string) => number;
}

type Grant = RecordedCall & { token: number; endedAt: number };

/**
 * Checks the promises about each lock by tokens and times alone. Tokens order all grants, so no
 * search is needed. It reports only definite contradictions: unknown outcomes widen what is
 * allowed.
 */
export function checkHistory(calls: RecordedCall[], options: CheckOptions = {}): Violation[] {
  const { toleranceMs = 5, revertedGrants = () => 0 } = options;
  const locks = new Map<string, RecordedCall[]>();
  for (const call of calls) {
    const known = locks.get(call.lock);
    if (known) known.push(call);
    else locks.set(call.lock, [call]);
  }
  return [...locks].flatMap(([lock, ofLock]) => {
    const grants = grantsOf(ofLock);
    const found = [
      ...notUnique(ofLock),
      ...outOfOrder(grants),
      ...overlapping(grants, ofLock, toleranceMs),
      ...unexplainedGaps(grants, ofLock, revertedGrants(lock)),
      ...zombies(grants, ofLock, toleranceMs),
    ];
    return found.map(([rule, what]) => ({ rule, lock, what }));
  });
}

type Found = [Violation['rule'], string];

/** All grants by ascending token, each once: of a replayed one only the first answer counts. */
function grantsOf(calls: RecordedCall[]): Grant[] {
  const byToken = new Map<number, Grant>();
  for (const call of calls) {
    if (call.verb !== 'acquire' || call.outcome !== 'ok') continue;
    const { token, endedAt } = call;
    if (token === null || endedAt === null) continue;
    const known = byToken.get(token);
    if (!known || endedAt < known.endedAt) byToken.set(token, { ...call, token, endedAt });
  }
  return [...byToken.values()].sort((a, b) => a.token - b.token);
}

function notUnique(calls: RecordedCall[]): Found[] {
  const found: Found[] = [];
  const requestOf = new Map<number, string | undefined>();
  const tokenOf = new Map<string, number>();
  for (const { verb, outcome, token, requestId } of calls) {
    if (verb !== 'acquire' || outcome !== 'ok' || token === null) continue;
    if (requestOf.has(token) && (requestId === undefined || requestOf.get(token) !== requestId)) {
      found.push(['C1 unique', `token ${token} was granted to two calls`]);
    }
    requestOf.set(token, requestId);
    if (requestId === undefined) continue;
    const known = tokenOf.get(requestId);
    if (known !== undefined && known !== token) {
      found.push(['C1 unique', `request ${requestId} was granted ${known} and ${token}`]);
    }
    tokenOf.set(requestId, token);
  }
  return found;
}

function outOfOrder(grants: Grant[]): Found[] {
  const found: Found[] = [];
  let latestStart = Number.NEGATIVE_INFINITY;
  for (const { token, startedAt, endedAt } of grants) {
    if (endedAt < latestStart) {
      found.push(['C2 order', `token ${token} was answered before a lower one was asked for`]);
    }
    latestStart = Math.max(latestStart, startedAt);
  }
  return found;
}

function overlapping(grants: Grant[], calls: RecordedCall[], toleranceMs: number): Found[] {
  const found: Found[] = [];
  for (const [i, next] of grants.entries()) {
    const grant = grants[i - 1];
    if (!grant) continue;
    const endsAt = earliestEnd(grant, calls, toleranceMs);
    if (next.endedAt < endsAt) {
      const early = Math.round(endsAt - next.endedAt);
      found.push([
        'C3 exclusion',
        `token ${next.token} was granted at least ${early} ms before ${grant.token} could end`,
      ]);
    }
  }
  return found;
}

/**
 * The instant before which the hold was certainly live: no call had begun to end it, and its lease
 * had not expired.
 */
function earliestEnd({ token }: Grant, calls: RecordedCall[], toleranceMs: number): number {
  let endedFrom = Number.POSITIVE_INFINITY;
  let deadline = Number.NEGATIVE_INFINITY;
  for (const call of calls) {
    if (call.token !== token) continue;
    if (call.verb === 'release' || call.verb === 'force') {
      endedFrom = Math.min(endedFrom, call.startedAt);
    } else if (call.outcome === 'ok') {
      deadline = Math.max(deadline, call.startedAt + call.leaseMs);
    }
  }
  return Math.min(endedFrom, deadline - toleranceMs);
}

/** Each token missing from the grants must be explained by a call that may have been granted it. */
function unexplainedGaps(grants: Grant[], calls: RecordedCall[], givenBack: number): Found[] {
  let missing = 0;
  for (const [i, { token }] of grants.entries()) {
    const before = grants[i - 1];
    if (before) missing += token - before.token - 1;
  }
  const unheard = calls.filter(({ verb, outcome }) => verb === 'acquire' && outcome === 'unknown');
  const causes = unheard.length + givenBack;
  return missing > causes
    ? [
        [
          'C4 gaps',
          `${missing} tokens are missing, and ${causes} calls could have been granted one`,
        ],
      ]
    : [];
}

function zombies(grants: Grant[], calls: RecordedCall[], toleranceMs: number): Found[] {
  const found: Found[] = [];
  for (const call of calls) {
    const { verb, outcome, token, startedAt } = call;
    if (verb === 'acquire' || verb === 'force' || outcome !== 'ok' || token === null) continue;
    const successor = grants.find((grant) => grant.token > token && grant.endedAt < startedAt);
    if (successor) {
      const text = `a ${verb} of ${token} succeeded after ${successor.token} had been granted`;
      found.push(['C5 no zombie success', text]);
    } else if (startedAt > latestDeadline(token, call, calls) + toleranceMs) {
      found.push(['C5 no zombie success', `a ${verb} of ${token} succeeded after its lease`]);
    }
  }
  return found;
}

/**
 * The instant after which the hold had certainly ended, whatever the outcome of calls that may have
 * extended it.
 */
function latestDeadline(token: number, besides: RecordedCall, calls: RecordedCall[]): number {
  let latest = Number.NEGATIVE_INFINITY;
  for (const call of calls) {
    const prolongs = call.verb !== 'release' && call.verb !== 'force' && call.outcome !== 'refused';
    if (!prolongs || call.token !== token || call === besides) continue;
    const writtenBy =
      call.outcome === 'ok' ? (call.endedAt ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
    latest = Math.max(latest, writtenBy + call.leaseMs);
  }
  return latest;
}
