/** The arguments that the lock process passes to the page process, in this order. */
export interface PageProcessArguments {
  /** Where the page process listens. */
  pagesSocket: string;
  /** Where the lock process answers queries of the console API. */
  consoleSocket: string;
}

/** The page process's messages: `ready` once, then one in answer to every `ping`. */
export type PageProcessMessage = 'ready' | { residentBytes: number };

/** Sent regularly: a process whose event loop is stuck does not answer it. */
export const PING = 'ping';

/** The header that names the console API's socket to a page. Never accepted from outside. */
export const CONSOLE_SOCKET_HEADER = 'x-lockyard-console';
