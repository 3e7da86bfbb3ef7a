import { HOUR_MS } from '../../core/time-units';

/** A session ends after this long without a request, and in any case after `SESSION_MAX_MS`. */
export const SESSION_IDLE_MAX_MS = 30 * 60_000;
export const SESSION_MAX_MS = 12 * HOUR_MS;

/** How long a replaced session stays valid, for requests that its browser has already sent. */
export const SESSION_REPLACED_MS = 5_000;

/** How long a verified session may still read while the control database is not responding. */
export const SESSION_STALE_MAX_MS = 15 * 60_000;

/** The last use of a session is written at most this often. */
export const SESSION_SEEN_EVERY_MS = 60_000;
