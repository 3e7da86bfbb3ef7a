import type { Metadata } from 'next';
import { redirect } from 'next/navigation';
import { EntryFrame } from '@/components/entry/entry-frame';
import { SignInForm } from '@/components/entry/sign-in-form';
import { ConsoleClient } from '@/components/live/trpc';
import { pageCaller } from '../open-console';

export const metadata: Metadata = { title: 'Sign in' };

export default async function SignInPage() {
  const { user, setupNeeded } = await (await pageCaller()).session.current();
  if (user !== null) redirect('/');
  if (setupNeeded) redirect('/setup');
  return (
    <EntryFrame title="Sign in" intro="Forgotten the password? An admin can set a new one.">
      <ConsoleClient>
        <SignInForm />
      </ConsoleClient>
    </EntryFrame>
  );
}
