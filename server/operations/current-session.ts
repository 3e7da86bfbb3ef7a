import { isSetupNeeded } from '../auth/setup-link';
import { askDatabase } from './ask-database';
import type { ControlContext } from './operation-context';
import type { SignedInUser } from './sign-in';

export interface CurrentSession {
  user: SignedInUser | null;
  /** There is no user at all: only the setup link leads further. */
  setupNeeded: boolean;
  demo: boolean;
}

/** Who is signed in; for everybody. */
export async function currentSession(ctx: ControlContext): Promise<CurrentSession> {
  const { actor, runtime } = ctx;
  const { demo } = runtime.config;
  if (actor?.kind === 'user') {
    const { userId, name, role } = actor;
    return { user: { id: userId, name, role }, setupNeeded: false, demo };
  }
  const setupNeeded = await askDatabase(() => isSetupNeeded(runtime.database));
  return { user: null, setupNeeded, demo };
}
