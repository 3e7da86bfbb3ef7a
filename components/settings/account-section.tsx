'use client';

import { type FormEvent, useState } from 'react';
import { PASSWORD_MIN_CHARS } from '@/server/contract/console/console-terms';
import { visibleText } from '../format/visible-name';
import { type Problem, problemOf } from '../live/problem';
import { useSession } from '../live/session';
import { useTRPCClient } from '../live/trpc';
import { useIsHydrated } from '../live/use-is-hydrated';
import { THEME_LABELS, THEMES, useTheme } from '../shell/theme';
import { Button } from '../ui/controls/button';
import { Field } from '../ui/controls/field';
import { ProblemNote } from '../ui/problem-note';
import { SectionFrame } from './section-frame';

const ROLE_DESCRIPTIONS = {
  viewer: 'Viewer: sees everything, changes nothing.',
  operator: 'Operator: sees everything, extends and releases locks.',
  admin: 'Admin: also manages people, API keys and namespaces.',
} as const;

/** Your own name, look, password, and the way out. */
export function AccountSection() {
  const { account } = useSession();
  const client = useTRPCClient();
  const signOut = async () => {
    await client.session.signOut.mutate().catch(() => undefined);
    window.location.assign('/sign-in');
  };
  return (
    <>
      <SectionFrame
        title={visibleText(account.name)}
        intro={ROLE_DESCRIPTIONS[account.role]}
        end={<Button onClick={() => void signOut()}>Sign out</Button>}
      >
        <ThemeField />
      </SectionFrame>
      <PasswordForm />
    </>
  );
}

function ThemeField() {
  const [theme, setTheme] = useTheme();
  return (
    <fieldset className="px-3.5 py-3.5">
      <legend className="float-left w-full pb-2 font-[550]">Look</legend>
      <div className="clear-both flex flex-wrap gap-2">
        {THEMES.map((choice) => (
          <label key={choice} className="choice">
            <input
              type="radio"
              name="look"
              className="sr-only"
              checked={choice === theme}
              onChange={() => setTheme(choice)}
            />
            {THEME_LABELS[choice]}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function PasswordForm() {
  const client = useTRPCClient();
  const isReady = useIsHydrated();
  const [isBusy, setBusy] = useState(false);
  const [isDone, setDone] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);

  const change = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const element = event.currentTarget;
    const form = new FormData(element);
    setBusy(true);
    setProblem(null);
    setDone(false);
    try {
      await client.session.changePassword.mutate({
        current: String(form.get('current')),
        next: String(form.get('next')),
      });
      setDone(true);
      element.reset();
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <SectionFrame title="Password" intro="Changing it signs you out everywhere else.">
      <form
        method="post"
        onSubmit={(event) => void change(event)}
        className="grid max-w-[720px] gap-4 p-3.5 sm:grid-cols-2"
      >
        <Field
          label="Your password now"
          name="current"
          type="password"
          autoComplete="current-password"
          required
          maxLength={1_000}
        />
        <Field
          label="The new one"
          hint={`at least ${PASSWORD_MIN_CHARS} characters`}
          name="next"
          type="password"
          autoComplete="new-password"
          required
          minLength={PASSWORD_MIN_CHARS}
          maxLength={256}
        />
        {problem && (
          <div className="sm:col-span-2">
            <ProblemNote problem={problem} title="It was not changed." />
          </div>
        )}
        <div className="flex items-center gap-3 sm:col-span-2">
          <Button type="submit" disabled={isBusy || !isReady}>
            {isBusy ? 'Changing…' : 'Change the password'}
          </Button>
          <span role="status" className="text-acc">
            {isDone && 'Changed. Other sessions have ended.'}
          </span>
        </div>
      </form>
    </SectionFrame>
  );
}
