import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

interface Line {
  near: Socket;
  far: Socket;
  /** Whole packets that may not pass yet, in their order. */
  held: Buffer[];
}

/**
 * A connection to a ZooKeeper on which single request packets can be held up, with all that follow
 * them. Four-letter words pass.
 */
export class FrameProxy {
  private readonly lines = new Set<Line>();
  private readonly holding = new Set<(packet: Buffer) => boolean>();

  private constructor(
    private readonly server: Server,
    private readonly target: { host: string; port: number },
  ) {
    server.on('connection', (near) => this.join(near));
  }

  static async start(target: { host: string; port: number }): Promise<FrameProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new FrameProxy(server, target);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Holds every packet that this is true of, until the answer is called. */
  hold(isHeld: (packet: Buffer) => boolean): () => void {
    this.holding.add(isHeld);
    return () => {
      this.holding.delete(isHeld);
      for (const line of this.lines) {
        for (const packet of line.held.splice(0)) this.pass(line, packet);
      }
    };
  }

  /** How many packets are held up. */
  get heldPackets(): number {
    return [...this.lines].reduce((sum, { held }) => sum + held.length, 0);
  }

  /** Cuts every connection; new ones are served. */
  cut(): void {
    for (const { near, far } of this.lines) {
      near.destroy();
      far.destroy();
    }
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Keeps every answer on the connections that there are from those who asked. */
  loseReplies(): void {
    for (const { far } of this.lines) far.removeAllListeners('data').resume();
  }

  private join(near: Socket): void {
    const far = connect(this.target.port, this.target.host);
    const line: Line = { near, far, held: [] };
    this.lines.add(line);
    let rest = Buffer.alloc(0);
    near.on('data', (bytes) => {
      rest = Buffer.concat([rest, bytes]);
      if (/^[a-z]{4}/.test(rest.toString('latin1', 0, 4))) far.write(rest);
      while (rest.length >= 4 && rest.length >= rest.readInt32BE(0) + 4) {
        const end = rest.readInt32BE(0) + 4;
        this.pass(line, rest.subarray(0, end));
        rest = rest.subarray(end);
      }
    });
    far.on('data', (bytes) => near.write(bytes));
    const [one, other] = [near, far];
    for (const [socket, peer] of [
      [one, other],
      [other, one],
    ] as const) {
      socket.setNoDelay(true);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        peer.destroy();
        this.lines.delete(line);
      });
    }
  }

  private pass(line: Line, packet: Buffer): void {
    const isHeld = [...this.holding].some((held) => held(packet));
    if (isHeld || line.held.length > 0) line.held.push(packet);
    else line.far.write(packet);
  }
}
