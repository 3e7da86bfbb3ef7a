'use client';

import { type FormEvent, useState } from 'react';
import { type Problem, problemOf } from '../live/problem';
import { useTRPCClient } from '../live/trpc';
import { useIsHydrated } from '../live/use-is-hydrated';
import { Button } from '../ui/controls/button';
import { Field } from '../ui/controls/field';
import { ProblemNote } from '../ui/problem-note';

/** Name and password. Says nothing about which of the two was wrong. */
export function SignInForm() {
  const client = useTRPCClient();
  const isReady = useIsHydrated();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);

  const signIn = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setBusy(true);
    setProblem(null);
    try {
      await client.session.signIn.mutate({
        name: String(form.get('name')),
        password: String(form.get('password')),
      });
      window.location.assign('/');
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };
  return (
    <form
      method="post"
      onSubmit={(event) => void signIn(event)}
      className="mt-6 flex flex-col gap-4"
    >
      <Field label="Name" name="name" autoComplete="username" required autoFocus maxLength={200} />
      <Field
        label="Password"
        name="password"
        type="password"
        autoComplete="current-password"
        required
        maxLength={1_000}
      />
      {problem && <ProblemNote problem={problem} />}
      <Button
        type="submit"
        tone="accent"
        size="large"
        disabled={isBusy || !isReady}
        className="mt-1"
      >
        {isBusy ? 'Signing in…' : 'Sign in'}
      </Button>
    </form>
  );
}
