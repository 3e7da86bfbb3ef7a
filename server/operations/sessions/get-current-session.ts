import { isSetupNeeded } from '../../auth/setup-link';
import type { RetentionDays } from '../../contract/console/console-terms';
import type { Retention } from '../../core/retention';
import { DAY_MS } from '../../core/time-units';
import { isBeyondThisMachine } from '../../platform/network-list';
import { askDatabase } from '../ask-database';
import type { ControlContext } from '../operation-context';
import type { SignedInUser } from './sign-in';

export interface CurrentSession {
  user: SignedInUser | null;
  /** Whether there is no user at all, so that only the setup link works. */
  setupNeeded: boolean;
  demo: boolean;
  /** Only for an admin whose connection crosses a network unencrypted. */
  unencrypted?: boolean;
  /** Only for users who are signed in. */
  retentionDays?: RetentionDays;
  /**
   * Where a trace is shown: a URL with `{traceId}` and perhaps `{spanId}`. Only for people who are
   * signed in; absent: nowhere.
   */
  traceUrl?: string;
}

/** Who is signed in; any caller may ask. */
export async function getCurrentSession(ctx: ControlContext): Promise<CurrentSession> {
  const { actor, runtime } = ctx;
  const { demo, traceUrl } = runtime.config;
  if (actor?.kind === 'user') {
    const { userId, name, role } = actor;
    const retentionDays = daysOf(runtime.config.retention);
    const user = { id: userId, name, role };
    const traces = traceUrl === null ? {} : { traceUrl };
    const answer = { user, setupNeeded: false, demo, retentionDays, ...traces };
    return role === 'admin' && isUnencrypted(ctx) ? { ...answer, unencrypted: true } : answer;
  }
  const setupNeeded = await askDatabase(() => isSetupNeeded(runtime.database));
  return { user: null, setupNeeded, demo };
}

const daysOf = ({ historyMs, auditMs }: Retention): RetentionDays => ({
  history: historyMs / DAY_MS,
  audit: auditMs === null ? null : auditMs / DAY_MS,
});

/** Calls can arrive through any network listened on, and a local proxy may pass on clear text. */
function isUnencrypted({ runtime, address, isSecure }: ControlContext): boolean {
  if (isSecure !== false) return false;
  return isBeyondThisMachine(runtime.config.host) || isBeyondThisMachine(address);
}
