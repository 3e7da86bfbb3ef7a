import type { ServerResponse } from 'node:http';
import { isStream } from './unread-connections';

/** The answers in progress. */
export class OpenAnswers {
  private readonly open = new Set<ServerResponse>();

  add(res: ServerResponse): void {
    this.open.add(res);
    res.once('close', () => this.open.delete(res));
  }

  /** Asks callers with an answer in progress to reconnect elsewhere afterwards. */
  closeAfterwards(): void {
    for (const res of this.open) if (!res.headersSent) res.setHeader('Connection', 'close');
  }

  /** How many are still to be finished. Live streams never finish, so they do not count. */
  get unfinished(): number {
    return [...this.open].filter((res) => !isStream(res)).length;
  }
}
