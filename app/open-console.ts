import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { cache } from 'react';
import { consoleCaller } from '@/server/trpc/console-caller';

/** The console API for the request of this page. */
export const pageCaller = cache(async () => consoleCaller(await headers()));

/** The console for whoever is signed in; everybody else is led to where they can sign in. */
export const openConsole = cache(async () => {
  const caller = await pageCaller();
  const { user, setupNeeded, demo } = await caller.session.current();
  if (user === null) redirect(setupNeeded ? '/setup' : '/sign-in');
  return { caller, user, demo };
});
