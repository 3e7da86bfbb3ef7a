import {
  changePasswordInput,
  sessionRef,
  setupInput,
  signInInput,
} from '../../../contract/console/access-inputs';
import { endOtherSessions, endSession } from '../../../operations/sessions/end-sessions';
import { getCurrentSession } from '../../../operations/sessions/get-current-session';
import { listSessions } from '../../../operations/sessions/list-sessions';
import { type SignedIn, type SignedInUser, signIn } from '../../../operations/sessions/sign-in';
import { signOut } from '../../../operations/sessions/sign-out';
import { changePassword } from '../../../operations/users/change-password';
import { setUpFirstAdmin } from '../../../operations/users/set-up-first-admin';
import { asParser } from '../parse-input';
import type { ConsoleContext } from './console-context';
import { consoleProcedure, consoleRouterOf, openProcedure } from './console-procedure';

export const consoleSessionRouter = consoleRouterOf({
  current: openProcedure.query(({ ctx }) => getCurrentSession(ctx.operation)),
  setup: openProcedure
    .input(asParser(setupInput))
    .mutation(async ({ ctx, input }) => begin(ctx, await setUpFirstAdmin(ctx.operation, input))),
  signIn: openProcedure
    .input(asParser(signInInput))
    .mutation(async ({ ctx, input }) => begin(ctx, await signIn(ctx.operation, input, ctx))),
  signOut: openProcedure.mutation(async ({ ctx }) => {
    const answer = await signOut(ctx.operation);
    ctx.setSession(null);
    return answer;
  }),
  list: consoleProcedure.query(({ ctx }) => listSessions(ctx.operation)),
  end: consoleProcedure.input(asParser(sessionRef)).mutation(async ({ ctx, input }) => {
    const answer = await endSession(ctx.operation, input);
    if (answer.signedOut) ctx.setSession(null);
    return answer;
  }),
  endOthers: consoleProcedure.mutation(({ ctx }) => endOtherSessions(ctx.operation)),
  changePassword: consoleProcedure
    .input(asParser(changePasswordInput))
    .mutation(async ({ ctx, input }) => {
      const { session } = await changePassword(ctx.operation, input);
      ctx.setSession(session);
      return { changed: true };
    }),
});

/** The session and the browser's token are only set as cookies, never in the answer. */
function begin(ctx: ConsoleContext, { user, session }: SignedIn): { user: SignedInUser } {
  ctx.setSession(session);
  ctx.rememberBrowser(user.id);
  return { user };
}
