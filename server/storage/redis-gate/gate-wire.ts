import type { GateExchange, GateMark, GateMessage, GateReply } from './gate-store';

/** How long a state lasts at a gate, in milliseconds: see `core/timing.ts`. */
interface StateLimits {
  freshMs: number;
  refreshMs: number;
  askAgainMs: number;
}

/** How many words of a reply precede its counters, and how many each counter has. */
const HEAD = 4;
const PER_COUNTER = 9;

const ABSENT = '-';

/** The arguments of `exchange.lua` for some counters. */
export function messageArguments(messages: GateMessage[]): string[] {
  const args: string[] = [];
  for (const { id, underWay, mayRead, news } of messages) {
    const words = `${underWay.down} ${underWay.up} ${mayRead ? 1 : 0}`;
    args.push(id, news ? `${words} ${newsWords(news)}` : words);
  }
  return args;
}

export function markArguments(seen: GateMark | null): string[] {
  return seen ? [String(seen.since), String(seen.changes)] : [ABSENT, ABSENT];
}

function newsWords(news: NonNullable<GateMessage['news']>): string {
  if ('gone' in news) return `gone ${news.gateRev ?? ABSENT}`;
  const { rev, value, reading } = news;
  if (!reading) return `${rev} ${value}`;
  const { floor, ceiling, asOf, gateRev } = reading;
  return `${rev} ${value} ${floor ?? ABSENT} ${ceiling ?? ABSENT} ${asOf} ${gateRev ?? ABSENT}`;
}

/**
 * Parses the answer of `exchange.lua`.
 *
 * @throws Error for any other text
 */
export function parseExchange(
  reply: unknown,
  messages: GateMessage[],
  limits: StateLimits,
): GateExchange {
  const [text, ids] = Array.isArray(reply) ? reply : [];
  const words = typeof text === 'string' ? text.split(' ') : [];
  if (words.length !== HEAD + PER_COUNTER * messages.length) throw misunderstood();
  const now = numberOf(words[0]);
  const replies = messages.map((message, i) => {
    const reply = replyAt(words, HEAD + PER_COUNTER * i);
    if (reply.state) reply.askAgainAt = askAgainAt(reply, message, now, limits);
    return reply;
  });
  return {
    now,
    readyInMs: numberOf(words[1]),
    mark: { since: numberOf(words[2]), changes: numberOf(words[3]) },
    changed: Array.isArray(ids) ? ids : null,
    replies,
  };
}

function replyAt(words: string[], at: number): GateReply {
  const isKnown = words[at] !== ABSENT;
  const asOf = isKnown ? numberOf(words[at + 4]) : 0;
  return {
    state: isKnown
      ? {
          rev: numberOf(words[at]),
          value: numberOf(words[at + 1]),
          floor: boundOf(words[at + 2]),
          ceiling: boundOf(words[at + 3]),
        }
      : null,
    asOf,
    askAgainAt: 0,
    underWay: { down: numberOf(words[at + 5]), up: numberOf(words[at + 6]) },
    readIsDue: words[at + 7] === '1',
    wasCorrected: words[at + 8] === '1',
  };
}

/**
 * When a state must be asked for again. Once it is due to be read from MySQL, a process that is
 * ready to do so asks every `askAgainMs`, until the state has been read.
 */
function askAgainAt(
  { asOf }: GateReply,
  { mayRead }: GateMessage,
  now: number,
  { freshMs, refreshMs, askAgainMs }: StateLimits,
): number {
  const again = mayRead ? Math.min(now + askAgainMs, asOf + freshMs) : 0;
  return Math.max(asOf + refreshMs, again);
}

function boundOf(word: string | undefined): number | null {
  return word === ABSENT ? null : numberOf(word);
}

function numberOf(word: string | undefined): number {
  const number = Number(word);
  if (word === '' || !Number.isFinite(number)) throw misunderstood();
  return number;
}

function misunderstood(): Error {
  return new Error('The answer of the gate does not fit the request.');
}
