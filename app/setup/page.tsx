import type { Metadata } from 'next';
import { AuthFrame } from '@/components/auth/auth-frame';
import { SetupForm } from '@/components/auth/setup-form';
import { ConsoleClient } from '@/components/live/trpc';
import { type SearchParams, searchParamsOf } from '../search-params';

export const metadata: Metadata = { title: 'Set up' };

/** Shown only while there is no account; afterwards the server redirects requests for it. */
export default async function SetupPage({ searchParams }: { searchParams: SearchParams }) {
  const token = (await searchParamsOf(searchParams)).get('token');
  if (!token) {
    return (
      <AuthFrame title="Open the link from the server’s log">
        <p className="mt-2 text-14 text-t2">
          When it starts without any account, Lockyard prints a link that works once, for an hour.
          It leads here and makes the first admin. If the hour is over, start the server again.
        </p>
      </AuthFrame>
    );
  }
  return (
    <AuthFrame
      title="Make the first account"
      intro="It is an admin’s: it can add people, keys and namespaces."
    >
      <ConsoleClient>
        <SetupForm token={token} />
      </ConsoleClient>
    </AuthFrame>
  );
}
