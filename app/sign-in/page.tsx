import type { Metadata } from 'next';
import { SignInForm } from '@/components/auth/auth-forms';
import { AuthFrame } from '@/components/auth/auth-frame';
import { ConsoleClient } from '@/components/live/trpc';

export const metadata: Metadata = { title: 'Sign in' };

/** Shown only to people who are not signed in; the server redirects all others. */
export default function SignInPage() {
  return (
    <AuthFrame title="Sign in" intro="Forgot your password? Ask an admin to reset it.">
      <ConsoleClient>
        <SignInForm />
      </ConsoleClient>
    </AuthFrame>
  );
}
