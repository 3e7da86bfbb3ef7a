import type { WireRequest } from './both-paths';

const ODD_VALUES = [null, 0, -1, 1.5, 1e308, '', ' ', 'x'.repeat(101), true, [], {}, 'é', '\0'];
const ODD_TEXTS = [
  '',
  ' ',
  '{',
  '7',
  'null',
  '[]',
  '"x"',
  '{"a":1,}',
  '{"name":"\\u0061"}',
  '\uFEFF{}',
];
const ODD_HEADERS: Record<string, string>[] = [
  { authorization: 'Bearer nonsense' },
  { authorization: 'bearer  KEY ' },
  { authorization: 'Basic KEY' },
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/json; charset=utf-8' },
  { 'content-type': 'APPLICATION/JSON' },
  { 'content-encoding': 'gzip' },
  { 'transfer-encoding': 'chunked' },
  { accept: 'text/event-stream' },
  { accept: 'text/html, application/jsonl' },
  { 'trpc-accept': 'application/json' },
  { origin: 'null' },
  { origin: 'http://127.0.0.1' },
  { 'sec-fetch-site': 'none' },
  { 'sec-fetch-site': 'cross-site' },
  { 'x-forwarded-proto': 'https' },
  { cookie: 'lockyard_session=x' },
  { host: 'elsewhere.example' },
  { host: '[' },
];
const COMMANDS = [
  'lock.acquire',
  'lock.renew',
  'lock.release',
  'lock.cancel',
  'counter.create',
  'counter.add',
] as const;
const QUERIES = ['lock.inspect', 'lock.check', 'counter.get'] as const;

/**
 * An endless sequence of requests to the service API: most are as programs send them, the others
 * have something odd.
 */
export function randomRequests(random: () => number): RandomRequests {
  return new RandomRequests(random);
}

class RandomRequests {
  private token = 1;

  constructor(private readonly random: () => number) {}

  /** Reads an answer: later requests may be about what it granted. */
  heard(body: string): void {
    const token = /"token":(\d+)/.exec(body)?.[1];
    if (token) this.token = Number(token);
  }

  next(): WireRequest {
    const isQuery = this.chance(0.25);
    const procedure = this.oneOf(isQuery ? QUERIES : COMMANDS);
    const input = this.inputText(procedure);
    const wire = isQuery ? this.query(procedure, input) : this.command(procedure, input);
    return this.chance(0.2) ? this.spoilt(wire) : wire;
  }

  private query(procedure: string, input: string): WireRequest {
    const query = `?input=${encodeURIComponent(input.replaceAll(/[\uD800-\uDFFF]/g, ''))}`;
    return {
      method: 'GET',
      path: `/api/v1/${procedure}${query}`,
      headers: { authorization: 'Bearer KEY' },
    };
  }

  private command(procedure: string, body: string): WireRequest {
    const headers = { authorization: 'Bearer KEY', 'content-type': 'application/json' };
    return { method: 'POST', path: `/api/v1/${procedure}`, headers, body };
  }

  private inputText(procedure: string): string {
    if (this.chance(0.05)) return this.oneOf(ODD_TEXTS);
    const text = JSON.stringify(this.input(procedure));
    if (this.chance(0.03)) return text.slice(0, Math.floor(this.random() * text.length));
    if (this.chance(0.03)) return text.replace('{', '{"__proto__":{},');
    return text;
  }

  private input(procedure: string): Record<string, unknown> {
    const input: Record<string, unknown> = {
      name: `lock ${Math.floor(this.random() * 6)}`,
      ...this.ownPartOf(procedure),
    };
    if (this.chance(0.1)) input[this.oneOf(Object.keys(input))] = this.oneOf(ODD_VALUES);
    if (this.chance(0.03)) input.unknown = 1;
    if (this.chance(0.05)) input.namespace = this.oneOf(['default', 'other', 'No']);
    return input;
  }

  private ownPartOf(procedure: string): Record<string, unknown> {
    const { token } = this;
    const owner = this.oneOf(['a', 'b', 'ü 😀']);
    const leaseMs = this.oneOf([100, 60_000, 86_400_000]);
    const requestId = this.oneOf(['r1', 'r2', 'r3']);
    const named = this.chance(0.2) ? { requestId } : {};
    switch (procedure) {
      case 'lock.acquire':
        return { owner, leaseMs, ...named, ...this.wishes() };
      case 'lock.renew':
        return { owner, leaseMs, token };
      case 'lock.release':
        return { owner, token, ...named };
      case 'lock.cancel':
        return { owner, requestId };
      case 'lock.check':
        return { token };
      case 'counter.create':
        return this.oneOf([{}, { initial: 5 }, { floor: 0, ceiling: 9 }]);
      case 'counter.add':
        return { delta: this.oneOf([1, -1, 7]), ...named };
      default:
        return {};
    }
  }

  private wishes(): Record<string, unknown> {
    const wishes: Record<string, unknown> = {};
    if (this.chance(0.1)) wishes.waitMs = 5;
    if (this.chance(0.2)) wishes.reentrant = true;
    if (this.chance(0.1)) wishes.mode = this.oneOf(['exclusive', 'shared', 'other']);
    if (this.chance(0.2)) wishes.meta = { host: 'a', note: this.oneOf(['', 'é', '\'\\"']) };
    return wishes;
  }

  private spoilt(wire: WireRequest): WireRequest {
    const { path, headers } = wire;
    const ways: (() => WireRequest)[] = [
      () => ({ ...wire, method: this.oneOf(['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS']) }),
      () => ({
        ...wire,
        path: path.replace(
          /lock\.\w+/,
          this.oneOf(['lock', 'lock.x', 'lock.check,lock.check', 'toString']),
        ),
      }),
      () => ({
        ...wire,
        path:
          `${path}${path.includes('?') ? '&' : '?'}` +
          this.oneOf(['batch=1', 'x', 'connectionParams={}', '%', '']),
      }),
      () => ({ ...wire, path: path.replace('.', '%2e') }),
      () => ({ ...wire, body: Buffer.from([0xff, 0x7b, 0x7d]) }),
      () => ({ ...wire, body: `"${'x'.repeat(this.oneOf([17_000, 270_000]))}"` }),
    ];
    if (this.chance(0.5)) return this.oneOf(ways)();
    return { ...wire, headers: { ...headers, ...this.oneOf(ODD_HEADERS) } };
  }

  private chance(share: number): boolean {
    return this.random() < share;
  }

  private oneOf<T>(all: readonly T[]): T {
    return all[Math.floor(this.random() * all.length)] as T;
  }
}
