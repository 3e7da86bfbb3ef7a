import type { Metadata } from 'next';
import { EntryFrame } from '@/components/entry/entry-frame';
import { SignInForm } from '@/components/entry/sign-in-form';
import { ConsoleClient } from '@/components/live/trpc';

export const metadata: Metadata = { title: 'Sign in' };

/** Only for people who can sign in: the server leads everybody else elsewhere before. */
export default function SignInPage() {
  return (
    <EntryFrame title="Sign in" intro="Forgotten the password? An admin can set a new one.">
      <ConsoleClient>
        <SignInForm />
      </ConsoleClient>
    </EntryFrame>
  );
}
