/** One event of a live stream, as it was sent over the wire. */
export interface StreamEvent {
  event: string;
  id: string;
  data: unknown;
}

/** A live stream that is opened as a browser does, and read event by event. */
export class EventStream {
  private readonly decoder = new TextDecoder();
  private text = '';

  private constructor(
    readonly response: Response,
    private readonly line: AbortController,
    private readonly reader: ReadableStreamDefaultReader<Uint8Array>,
  ) {}

  static async open(url: string, headers: Record<string, string>): Promise<EventStream> {
    const line = new AbortController();
    const response = await fetch(url, { headers, signal: line.signal });
    if (!response.body) throw new Error('The answer has no body.');
    return new EventStream(response, line, response.body.getReader());
  }

  /** The stream in the body of a response. */
  static over(response: Response): EventStream {
    if (!response.body) throw new Error('The answer has no body.');
    const reader = response.body.getReader();
    const line = new AbortController();
    line.signal.addEventListener('abort', () => void reader.cancel().catch(() => {}));
    return new EventStream(response, line, reader);
  }

  /** The next event; null at the end of the stream. Rejects when the connection is cut. */
  async next(): Promise<StreamEvent | null> {
    for (;;) {
      const end = this.text.indexOf('\n\n');
      if (end >= 0) {
        const block = this.text.slice(0, end);
        this.text = this.text.slice(end).replace(/^\n+/, '');
        return parseEvent(block);
      }
      const { done, value } = await this.reader.read();
      if (done) return null;
      this.text += this.decoder.decode(value, { stream: true });
    }
  }

  /** The next event that carries a value. */
  async nextValue(): Promise<StreamEvent> {
    for (;;) {
      const event = await this.next();
      if (event === null) throw new Error('The stream has ended.');
      if (event.event === 'message') return event;
    }
  }

  /** Hangs up. */
  close(): void {
    this.line.abort();
  }
}

function parseEvent(block: string): StreamEvent {
  const field = (name: string) =>
    block
      .split('\n')
      .find((line) => line.startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim() ?? '';
  const data = field('data');
  return {
    event: field('event') || 'message',
    id: field('id'),
    data: data === '' ? null : JSON.parse(data),
  };
}
