import type { UserActor } from '../auth/actor';
import type { NewSession } from '../auth/session-keeper';
import type { Runtime } from '../operations/operation-context';
import type { StreamSlots } from './stream-slots';

/** One request to the console API, which may carry several calls. */
export interface ConsoleContext {
  runtime: Runtime;
  requestId: string;
  address: string;
  /** The person behind the session cookie, or null. Looked up once a request. */
  resolveUser(): Promise<UserActor | null>;
  /** The same, looked up again: for streams, which outlive sessions. */
  resolveUserAgain(): Promise<UserActor | null>;
  /** Gives the browser a session, or takes it away. */
  setSession(session: NewSession | null): void;
  streams: StreamSlots;
}

export function createConsoleContext(
  runtime: Runtime,
  request: {
    requestId: string;
    address: string;
    sessionCookie: string | null;
    setSession: (session: NewSession | null) => void;
    streams: StreamSlots;
  },
): ConsoleContext {
  const { sessionCookie, ...rest } = request;
  const resolveUserAgain = () => runtime.sessions.resolve(sessionCookie);
  let resolved: Promise<UserActor | null> | null = null;
  return {
    runtime,
    ...rest,
    resolveUser() {
      resolved ??= resolveUserAgain();
      return resolved;
    },
    resolveUserAgain,
  };
}
