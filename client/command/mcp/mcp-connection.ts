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
type Answer = { id: Id | null } & ({ result: object } | { error: object });

/**
 * The server's side of the Model Context Protocol, over lines of JSON-RPC. Calls run side by side,
 * and each is answered when it ends.
 */
export class McpConnection {
  private readonly tools: ReadonlyMap<string, Tool>;
  private readonly running = new Map<Id, { abort: AbortController; ended: Promise<void> }>();

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

  /** Takes one line of the client. It never throws: a mistake is answered. */
  receive(line: string): void {
    if (line.trim() === '') return;
    const answer = this.answerTo(line);
    if (answer) this.send(JSON.stringify({ jsonrpc: '2.0', ...answer }));
  }

  /** Cancels the calls that are running, and resolves once they have ended. */
  async close(): Promise<void> {
    const calls = [...this.running.values()];
    for (const { abort } of calls) abort.abort();
    await Promise.all(calls.map(({ ended }) => ended));
  }

  /** What to send at once; null: nothing. */
  private answerTo(line: string): Answer | null {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      return refusal(null, PARSE_ERROR, 'This is not JSON.');
    }
    if (!isFields(message) || message.jsonrpc !== '2.0') {
      return refusal(null, INVALID_REQUEST, 'This is not a message of JSON-RPC 2.0.');
    }
    const { id, method, params } = message;
    // Nothing is asked of the client, so an answer of it has no meaning.
    if (typeof method !== 'string') return null;
    const given = isFields(params) ? params : {};
    if (isId(id)) return this.answer(id, method, given);
    if (method === 'notifications/cancelled' && isId(given.requestId)) {
      this.running.get(given.requestId)?.abort.abort();
    }
    return null;
  }

  private answer(id: Id, method: string, params: Fields): Answer | null {
    switch (method) {
      case 'initialize': {
        const asked = VERSIONS.find((version) => version === params.protocolVersion);
        const protocolVersion = asked ?? VERSIONS[0];
        const capabilities = { tools: {} };
        return { id, result: { protocolVersion, capabilities, serverInfo: this.server } };
      }
      case 'ping':
        return { id, result: {} };
      case 'tools/list':
        return { id, result: { tools: [...this.tools.values()].map(({ call, ...tool }) => tool) } };
      case 'tools/call':
        return this.startCall(id, params);
      default:
        return refusal(id, UNKNOWN_METHOD, `There is no method "${method}".`);
    }
  }

  private startCall(id: Id, { name, arguments: given }: Fields): Answer | null {
    const tool = typeof name === 'string' ? this.tools.get(name) : undefined;
    if (!tool) return refusal(id, INVALID_PARAMS, `There is no tool "${name}".`);
    if (this.running.has(id)) return refusal(id, INVALID_REQUEST, 'This id is in use.');
    const abort = new AbortController();
    const ended = this.call(tool, isFields(given) ? given : {}, abort.signal).then((result) => {
      this.running.delete(id);
      if (abort.signal.aborted) return; // A call that was cancelled gets no answer.
      this.send(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
    this.running.set(id, { abort, ended });
    return null;
  }

  private async call(tool: Tool, input: Fields, signal: AbortSignal): Promise<object> {
    const text = (each: string) => ({ type: 'text', text: each });
    try {
      const { properties } = tool.inputSchema;
      const unknown = Object.keys(input).find((field) => !Object.hasOwn(properties, field));
      if (unknown !== undefined) throw new Error(`The input has no field "${unknown}".`);
      const answer = printableJson(await tool.call(input, signal));
      return { content: [answer, ...this.takeNotices()].map(text) };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return { content: [why, ...this.takeNotices()].map(text), isError: true };
    }
  }
}

const refusal = (id: Id | null, code: number, message: string): Answer => ({
  id,
  error: { code, message },
});

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isId = (value: unknown): value is Id =>
  typeof value === 'string' || typeof value === 'number';
