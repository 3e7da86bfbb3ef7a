'use client';

import { useState } from 'react';
import { visibleText } from '@/server/core/format/visible-text';
import { failureTitleWithoutRetry } from '../live/problem';
import { useSession, useSignOut } from '../live/session';
import { useTRPCClient } from '../live/trpc';
import { useIsHydrated } from '../live/use-is-hydrated';
import { THEME_LABELS, THEMES, useTheme } from '../shell/theme';
import { Button } from '../ui/controls/button';
import { Choice } from '../ui/controls/choices/choice';
import { Field } from '../ui/controls/field';
import { NewPasswordField } from '../ui/controls/new-password-field';
import { useSubmit } from '../ui/controls/use-submit';
import { ProblemNote } from '../ui/problem-note';
import { SectionFrame } from './section-frame';
import { SessionsSection } from './sessions-section';
import { ROLE_LABELS } from './users/role-field';

/** The user's own role, theme, sessions and password, and signing out. */
export function AccountSection({ now }: { now: number }) {
  const { account } = useSession();
  const { signOut, failure } = useSignOut();
  const { label, means } = ROLE_LABELS[account.role];
  return (
    <>
      <SectionFrame
        title={visibleText(account.name)}
        intro={`${label}: ${means.toLowerCase()}`}
        end={<Button onClick={() => void signOut()}>Sign out</Button>}
      >
        {failure && (
          <p role="alert" className="px-3.5 pt-3 text-dangertext">
            {failure}
          </p>
        )}
        <ThemeField />
      </SectionFrame>
      <SessionsSection now={now} />
      <PasswordForm />
    </>
  );
}

function ThemeField() {
  const [theme, setTheme] = useTheme();
  return (
    <fieldset className="px-3.5 py-3.5">
      <legend className="float-left w-full pb-2 font-[550]">Theme</legend>
      <div className="clear-both flex flex-wrap gap-2">
        {THEMES.map((choice) => (
          <Choice
            key={choice}
            name="theme"
            isChosen={choice === theme}
            onChoose={() => setTheme(choice)}
          >
            {THEME_LABELS[choice]}
          </Choice>
        ))}
      </div>
    </fieldset>
  );
}

function PasswordForm() {
  const client = useTRPCClient();
  const isHydrated = useIsHydrated();
  const [isChanged, setChanged] = useState(false);
  const { isBusy, problem, submit } = useSubmit();
  const change = async (element: HTMLFormElement) => {
    const form = new FormData(element);
    setChanged(false);
    await client.session.changePassword.mutate({
      current: String(form.get('current')),
      next: String(form.get('next')),
    });
    setChanged(true);
    element.reset();
  };
  return (
    <SectionFrame title="Password" intro="Changing it signs out your other sessions.">
      <form
        method="post"
        onSubmit={(event) => {
          event.preventDefault();
          const element = event.currentTarget;
          void submit(() => change(element));
        }}
        className="grid max-w-[720px] gap-4 p-3.5 sm:grid-cols-2"
      >
        <Field
          label="Current password"
          name="current"
          type="password"
          autoComplete="current-password"
          required
          maxLength={1_000}
        />
        <NewPasswordField label="New password" name="next" />
        {problem && (
          <div className="sm:col-span-2">
            <ProblemNote problem={problem} title={failureTitleWithoutRetry(problem)} />
          </div>
        )}
        <div className="flex items-center gap-3 sm:col-span-2">
          <Button type="submit" disabled={isBusy || !isHydrated}>
            {isBusy ? 'Changing…' : 'Change password'}
          </Button>
          <span role="status" className="text-acc">
            {isChanged && 'Password changed. Other sessions were signed out.'}
          </span>
        </div>
      </form>
    </SectionFrame>
  );
}
