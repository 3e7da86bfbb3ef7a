import { changePasswordInput, setupInput, signInInput } from '../domain/access-inputs';
import { changePassword } from '../operations/change-password';
import { currentSession } from '../operations/current-session';
import { setUpFirstAdmin } from '../operations/set-up-first-admin';
import { type SignedIn, type SignedInUser, signIn } from '../operations/sign-in';
import { signOut } from '../operations/sign-out';
import type { ConsoleContext } from './console-context';
import { consoleProcedure, consoleRouterOf, openProcedure } from './console-procedure';

export const consoleSessionRouter = consoleRouterOf({
  current: openProcedure.query(({ ctx }) => currentSession(ctx.operation)),
  setup: openProcedure
    .input(setupInput)
    .mutation(async ({ ctx, input }) => begin(ctx, await setUpFirstAdmin(ctx.operation, input))),
  signIn: openProcedure
    .input(signInInput)
    .mutation(async ({ ctx, input }) => begin(ctx, await signIn(ctx.operation, input, ctx))),
  signOut: openProcedure.mutation(async ({ ctx }) => {
    const answer = await signOut(ctx.operation);
    ctx.setSession(null);
    return answer;
  }),
  changePassword: consoleProcedure
    .input(changePasswordInput)
    .mutation(({ ctx, input }) => changePassword(ctx.operation, input)),
});

/** The session and the browser's mark go to cookies and nowhere else. */
function begin(ctx: ConsoleContext, { user, session }: SignedIn): { user: SignedInUser } {
  ctx.setSession(session);
  ctx.rememberBrowser(user.id);
  return { user };
}
