/** What the lock process passes to the page process as arguments, in this order. */
export interface PageProcessArguments {
  /** Where the page process listens. */
  pagesSocket: string;
  /** Where the lock process answers queries of the console API. */
  consoleSocket: string;
}

/** What the page process says over its channel: once when it can be asked for pages, then in answer to every `ping`. */
export type PageProcessMessage = 'ready' | { residentBytes: number };

/** What it is asked for regularly: one whose event loop is stuck does not answer. */
export const PING = 'ping';

/** The header in which a page's request says where the console API answers. Never accepted from outside. */
export const CONSOLE_SOCKET_HEADER = 'x-lockyard-console';
