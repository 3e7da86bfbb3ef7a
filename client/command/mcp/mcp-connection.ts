import { printableJson } from '../terminal/printable';

/** A tool that a model may call. */
export interface Tool {
  name: string;
  description: string;
  inputSchema: { type: 'object'; properties: Record<string, object>; required: string[] };
  /** Hints for the user who approves calls, as the protocol names them. */
  annotations: { readOnlyHint: boolean; idempotentHint?: boolean };
  /**
   * @param signal aborts when the call is cancelled
   * @returns what the model reads, as JSON
   */
  call(input: Record<string, unknown>, signal: AbortSignal): Promise<object>;
}

/** The versions of the protocol that are spoken, the newest first. */
const VERSIONS = ['2025-06-18', '2025-03-26', '2024-11-05'];

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const UNKNOWN_METHOD = -32_601;
const INVALID_PARAMS = -32_602;

type Id = string | number;
type Fields = Record<string, unknown>;
type Answer = { jsonrpc: '2.0'; id: Id | null } & ({ result: object } | { error: object });

/** As the protocol has it. */
interface ToolResult {
  content: { type: 'text'; text: string }[];
  isError?: true;
}

/**
 * The server's side of the Model Context Protocol, over lines of JSON-RPC. Calls run side by side,
 * and each is answered when it ends.
 */
export class McpConnection {
  private readonly tools: ReadonlyMap<string, Tool>;
  private readonly running = new Map<Id, { abort: AbortController; ended: Promise<unknown> }>();

  /**
   * @param takeNotices what the model has to know besides the result of its call; each is returned
   *   once
   * @param send writes one line
   */
  constructor(
    private readonly server: { name: string; version: string },
    tools: readonly Tool[],
    private readonly takeNotices: () => string[],
    private readonly send: (line: string) => void,
  ) {
    this.tools = new Map(tools.map((tool) => [tool.name, tool]));
  }

  /**
   * Takes one line of the client: a message, or a batch of them, which is answered as one. It never
   * throws: a mistake is answered.
   */
  receive(line: string): void {
    if (line.trim() !== '') void this.reply(line);
  }

  /** Cancels the calls that are running, and resolves once they have ended. */
  async close(): Promise<void> {
    const calls = [...this.running.values()];
    for (const { abort } of calls) abort.abort();
    await Promise.all(calls.map(({ ended }) => ended));
  }

  private async reply(line: string): Promise<void> {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      return this.write(refusal(null, PARSE_ERROR, 'This is not JSON.'));
    }
    const isBatch = Array.isArray(message) && message.length > 0;
    const asked: unknown[] = isBatch ? (message as unknown[]) : [message];
    const answers = await Promise.all(asked.map((each) => this.answerTo(each)));
    const wanted = answers.filter((answer) => answer !== null);
    const [first] = wanted;
    if (first) this.write(isBatch ? wanted : first);
  }

  private write(answer: Answer | Answer[]): void {
    this.send(JSON.stringify(answer));
  }

  /** Null: nothing is to be sent. */
  private answerTo(message: unknown): Promise<Answer | null> | Answer | null {
    if (!isFields(message) || message.jsonrpc !== '2.0') {
      return refusal(null, INVALID_REQUEST, 'This is not a message of JSON-RPC 2.0.');
    }
    const { id, method, params } = message;
    if (id !== undefined && !isId(id)) {
      return refusal(null, INVALID_REQUEST, 'An id must be a text or a number.');
    }
    if (typeof method !== 'string') {
      // Nothing is asked of the client, so an answer of it has no meaning.
      if ('result' in message || 'error' in message) return null;
      return refusal(id ?? null, INVALID_REQUEST, 'This message has no method.');
    }
    const given = isFields(params) ? params : {};
    if (id !== undefined) return this.answer(id, method, given);
    if (method === 'notifications/cancelled' && isId(given.requestId)) {
      this.running.get(given.requestId)?.abort.abort();
    }
    return null;
  }

  private answer(id: Id, method: string, params: Fields): Promise<Answer | null> | Answer {
    switch (method) {
      case 'initialize': {
        const asked = VERSIONS.find((version) => version === params.protocolVersion);
        const protocolVersion = asked ?? VERSIONS[0];
        const capabilities = { tools: {} };
        return result(id, { protocolVersion, capabilities, serverInfo: this.server });
      }
      case 'ping':
        return result(id, {});
      case 'tools/list':
        return result(id, { tools: [...this.tools.values()].map(({ call, ...tool }) => tool) });
      case 'tools/call':
        return this.startCall(id, params);
      default:
        return refusal(id, UNKNOWN_METHOD, `There is no method "${method}".`);
    }
  }

  /** Null: the call was cancelled, and gets no answer. */
  private startCall(id: Id, { name, arguments: given }: Fields): Promise<Answer | null> | Answer {
    const tool = typeof name === 'string' ? this.tools.get(name) : undefined;
    if (!tool) return refusal(id, INVALID_PARAMS, `There is no tool "${name}".`);
    if (this.running.has(id)) return refusal(id, INVALID_REQUEST, 'This id is in use.');
    const abort = new AbortController();
    const ended = this.call(tool, isFields(given) ? given : {}, abort.signal).then((content) => {
      this.running.delete(id);
      if (abort.signal.aborted) return null;
      const notices = this.takeNotices().map((text) => ({ type: 'text', text }));
      return result(id, { ...content, content: [...content.content, ...notices] });
    });
    this.running.set(id, { abort, ended });
    return ended;
  }

  private async call(tool: Tool, input: Fields, signal: AbortSignal): Promise<ToolResult> {
    try {
      const { properties } = tool.inputSchema;
      const unknown = Object.keys(input).find((field) => !Object.hasOwn(properties, field));
      if (unknown !== undefined) throw new Error(`The input has no field "${unknown}".`);
      const text = printableJson(await tool.call(input, signal));
      return { content: [{ type: 'text', text }] };
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      return { content: [{ type: 'text', text }], isError: true };
    }
  }
}

const result = (id: Id, value: object): Answer => ({ jsonrpc: '2.0', id, result: value });

const refusal = (id: Id | null, code: number, message: string): Answer => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isId = (value: unknown): value is Id =>
  typeof value === 'string' || typeof value === 'number';
