'use client';

import Link from 'next/link';
import type { ReactNode } from 'react';
import { visibleText } from '../format/visible-name';
import { Icon } from '../icons/icon';
import type { IconName } from '../icons/icon-shapes';
import { useSession } from '../live/session';
import { PageHead } from '../ui/page-head';
import { AccountSection } from './account-section';
import { KeysSection } from './keys-section';
import { UsersSection } from './users-section';

export type SettingsSection = 'account' | 'keys' | 'people';

const SECTIONS: { id: SettingsSection; word: string; icon: IconName; isAdmin: boolean }[] = [
  { id: 'account', word: 'Your account', icon: 'eye', isAdmin: false },
  { id: 'keys', word: 'API keys', icon: 'key', isAdmin: true },
  { id: 'people', word: 'People', icon: 'users', isAdmin: true },
];

/** Settings: the user's own account, API keys, and people. */
export function SettingsView({ section, now }: { section: SettingsSection; now: number }) {
  const { may } = useSession();
  return (
    <div className="page">
      <div className="max-w-[1280px]">
        <PageHead title="Settings" />
        <div className="settings">
          <nav aria-label="Settings" className="settings-nav">
            {SECTIONS.map(({ id, word, icon, isAdmin }) => (
              <Link
                key={id}
                href={id === 'account' ? '/settings' : `/settings?section=${id}`}
                aria-current={section === id ? 'page' : undefined}
                className="settings-link"
              >
                <Icon name={icon} size={15} />
                {word}
                {isAdmin && !may('admin') && (
                  <Icon name="lock" size={13} className="ml-auto text-t3" />
                )}
              </Link>
            ))}
          </nav>
          <div className="min-w-0">
            {section === 'account' && <AccountSection />}
            {section === 'keys' && (
              <AdminOnly what="API keys">
                <KeysSection now={now} />
              </AdminOnly>
            )}
            {section === 'people' && (
              <AdminOnly what="people and their roles">
                <UsersSection now={now} />
              </AdminOnly>
            )}
          </div>
        </div>
      </div>
    </div>
  );
}

function AdminOnly({ what, children }: { what: string; children: ReactNode }) {
  const { may, account } = useSession();
  if (may('admin')) return children;
  return (
    <section className="card flex gap-3 p-5">
      <Icon name="lock" size={18} className="mt-0.5 text-t3" />
      <div>
        <h2 className="font-[620]">Only admins manage {what}.</h2>
        <p className="text-t2">
          You are signed in as {visibleText(account.name)}, {account.role}. An admin can do it for
          you, or give you the role.
        </p>
      </div>
    </section>
  );
}
