'use client';

import { type FormEvent, useState } from 'react';
import { PASSWORD_MIN_CHARS } from '@/server/contract/console/console-terms';
import { type Problem, problemOf } from '../live/problem';
import { useTRPCClient } from '../live/trpc';
import { useIsHydrated } from '../live/use-is-hydrated';
import { Button } from '../ui/controls/button';
import { Field } from '../ui/controls/field';
import { ProblemNote } from '../ui/problem-note';

/** Creates the first admin with the link that the server printed. */
export function SetupForm({ token }: { token: string }) {
  const client = useTRPCClient();
  const [password, setPassword] = useState('');
  const [again, setAgain] = useState('');
  const isReady = useIsHydrated();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const differs = again !== '' && again !== password;

  const setUp = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (differs) return;
    const form = new FormData(event.currentTarget);
    setBusy(true);
    setProblem(null);
    try {
      await client.session.setup.mutate({ token, name: String(form.get('name')), password });
      window.location.assign('/');
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };
  return (
    <form
      method="post"
      onSubmit={(event) => void setUp(event)}
      className="mt-6 flex flex-col gap-4"
    >
      <Field
        label="Your name"
        hint="stands beside everything you do"
        name="name"
        autoComplete="username"
        required
        autoFocus
        maxLength={64}
      />
      <Field
        label="Password"
        hint={`at least ${PASSWORD_MIN_CHARS} characters`}
        type="password"
        autoComplete="new-password"
        required
        minLength={PASSWORD_MIN_CHARS}
        maxLength={256}
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      <Field
        label="The password again"
        type="password"
        autoComplete="new-password"
        required
        value={again}
        problem={differs ? 'The two passwords differ.' : null}
        onChange={(event) => setAgain(event.target.value)}
      />
      {problem && <ProblemNote problem={problem} />}
      <Button
        type="submit"
        tone="accent"
        size="large"
        disabled={isBusy || !isReady}
        className="mt-1"
      >
        {isBusy ? 'Making the account…' : 'Make the account and begin'}
      </Button>
    </form>
  );
}
