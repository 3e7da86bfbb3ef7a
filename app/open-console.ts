import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { cache } from 'react';
import { consoleClient } from './console-client';

/** The console API for a signed-in person; others are redirected to the sign-in or setup page. */
export const openConsole = cache(async () => {
  const api = consoleClient(await headers());
  const { user, setupNeeded, demo, unencrypted = false } = await api.session.current.query();
  if (user === null) redirect(setupNeeded ? '/setup' : '/sign-in');
  return { api, user, demo, unencrypted };
});
