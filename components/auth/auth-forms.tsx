'use client';

import { type ReactNode, useState } from 'react';
import { landingPath } from '@/server/core/paths/landing-path';
import { type Problem, problemOf } from '../live/problem';
import { useTRPCClient } from '../live/trpc';
import { useIsHydrated } from '../live/use-is-hydrated';
import { Button } from '../ui/controls/button';
import { Field } from '../ui/controls/field';
import { NewPasswordField } from '../ui/controls/new-password-field';
import { ProblemNote } from '../ui/problem-note';

/** Signs in with name and password. Does not say which of the two was wrong. */
export function SignInForm() {
  const client = useTRPCClient();
  return (
    <AuthForm
      action="Sign in"
      busyLabel="Signing in…"
      onSubmit={(form) =>
        client.session.signIn.mutate({
          name: String(form.get('name')),
          password: String(form.get('password')),
        })
      }
      landing={() => landingPath(window.location.search)}
    >
      <Field
        label="Name"
        name="name"
        autoComplete="username"
        autoCapitalize="off"
        spellCheck={false}
        required
        autoFocus
        maxLength={200}
      />
      <Field
        label="Password"
        name="password"
        type="password"
        autoComplete="current-password"
        required
        maxLength={1_000}
      />
    </AuthForm>
  );
}

/** Creates the first admin with the token of the link that the server printed. */
export function SetupForm({ token }: { token: string }) {
  const client = useTRPCClient();
  const [password, setPassword] = useState('');
  const [confirmed, setConfirmed] = useState('');
  const differs = confirmed !== '' && confirmed !== password;
  return (
    <AuthForm
      action="Create account"
      busyLabel="Creating account…"
      isInvalid={differs}
      onSubmit={(form) =>
        client.session.setup.mutate({ token, name: String(form.get('name')), password })
      }
    >
      <Field
        label="Your name"
        hint="shown in the audit log"
        name="name"
        autoComplete="username"
        required
        autoFocus
        maxLength={64}
      />
      <NewPasswordField
        label="Password"
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      <Field
        label="Confirm password"
        type="password"
        autoComplete="new-password"
        required
        value={confirmed}
        problem={differs ? 'The passwords do not match.' : null}
        onChange={(event) => setConfirmed(event.target.value)}
      />
    </AuthForm>
  );
}

function AuthForm({
  action,
  busyLabel,
  isInvalid = false,
  onSubmit,
  landing = () => '/',
  children,
}: {
  action: string;
  busyLabel: string;
  /** A field shows a problem that the browser does not check: nothing is sent. */
  isInvalid?: boolean;
  onSubmit: (form: FormData) => Promise<unknown>;
  /** The path of the page to open afterwards. */
  landing?: () => string;
  children: ReactNode;
}) {
  const isHydrated = useIsHydrated();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const submit = async (form: FormData) => {
    setBusy(true);
    setProblem(null);
    try {
      await onSubmit(form);
      // The button stays disabled until the browser has left the page.
      window.location.assign(landing());
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };
  return (
    <form
      method="post"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isInvalid) void submit(new FormData(event.currentTarget));
      }}
      className="mt-6 flex flex-col gap-4"
    >
      {children}
      {problem && <ProblemNote problem={problem} />}
      <Button
        type="submit"
        tone="accent"
        size="large"
        disabled={isBusy || !isHydrated}
        className="mt-1"
      >
        {isBusy ? busyLabel : action}
      </Button>
    </form>
  );
}
