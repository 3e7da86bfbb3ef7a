import type { Metadata } from 'next';
import { AuthFrame } from '@/components/auth/auth-frame';
import { SignInForm } from '@/components/auth/sign-in-form';
import { ConsoleClient } from '@/components/live/trpc';

export const metadata: Metadata = { title: 'Sign in' };

/** Shown only to people who are not signed in; the server redirects all others. */
export default function SignInPage() {
  return (
    <AuthFrame title="Sign in" intro="Forgotten the password? An admin can set a new one.">
      <ConsoleClient>
        <SignInForm />
      </ConsoleClient>
    </AuthFrame>
  );
}
