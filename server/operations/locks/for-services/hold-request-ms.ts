/** How long one request may be held open; longer waits ask again with the same request id. */
export const HOLD_REQUEST_MS = 25_000;
