import type { Metadata } from 'next';
import { SetupForm } from '@/components/auth/auth-forms';
import { AuthFrame } from '@/components/auth/auth-frame';
import { ConsoleClient } from '@/components/live/trpc';
import { type SearchParams, searchParamsOf } from '../page-request';

export const metadata: Metadata = { title: 'Set up' };

/**
 * Shown only while there is no account; afterwards the server redirects requests for it. The token
 * of a link that does not work arrives empty.
 */
export default async function SetupPage({ searchParams }: { searchParams: SearchParams }) {
  const token = (await searchParamsOf(searchParams)).get('token');
  if (token === '') {
    return (
      <AuthFrame title="This setup link does not work">
        <p className="mt-2 text-14 text-t2">
          It is incomplete, or it has expired: a setup link is valid for an hour. To get a new link,
          restart the server, and open the one that it prints.
        </p>
      </AuthFrame>
    );
  }
  if (token === null) {
    return (
      <AuthFrame title="Open the setup link from the server log">
        <p className="mt-2 text-14 text-t2">
          On its first start, Lockyard prints a setup link to create the first admin account. It
          works once and expires after an hour. To get a new link, restart the server.
        </p>
      </AuthFrame>
    );
  }
  return (
    <AuthFrame
      title="Create the first admin account"
      intro="Admins manage users, API keys and namespaces."
    >
      <ConsoleClient>
        <SetupForm token={token} />
      </ConsoleClient>
    </AuthFrame>
  );
}
