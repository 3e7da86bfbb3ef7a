'use client';

import { visibleText } from '@/server/core/format/visible-text';
import { Icon, type IconName } from '../icons/icon';
import { useSession } from '../live/session';
import { NearLink } from '../navigation/near-link';
import { useServerClock } from '../ui/instant';
import { PageHead } from '../ui/page-head';
import { AccountSection } from './account-section';
import { KeysSection } from './keys-section';
import { UsersSection } from './users/users-section';

export type SettingsSection = 'account' | 'keys' | 'people';

const SECTIONS: { id: SettingsSection; label: string; icon: IconName; isAdmin: boolean }[] = [
  { id: 'account', label: 'Your account', icon: 'user', isAdmin: false },
  { id: 'keys', label: 'API keys', icon: 'key', isAdmin: true },
  { id: 'people', label: 'Users', icon: 'users', isAdmin: true },
];

/** Settings: the user's own account, API keys, and users. */
export function SettingsView({
  section,
  now: paintedAt,
}: {
  section: SettingsSection;
  now: number;
}) {
  const now = useServerClock(paintedAt);
  const { may } = useSession();
  return (
    <div className="page">
      <PageHead title="Settings" />
      <div className="grid gap-3.5 xl:grid-cols-[192px_minmax(0,1fr)] xl:gap-6">
        <nav
          aria-label="Settings"
          className="flex flex-wrap gap-1 xl:sticky xl:top-0 xl:flex-col xl:flex-nowrap xl:self-start"
        >
          {SECTIONS.map(({ id, label, icon, isAdmin }) => (
            <NearLink
              key={id}
              href={id === 'account' ? '/settings' : `/settings?section=${id}`}
              aria-current={section === id ? 'page' : undefined}
              className="flex h-[34px] flex-none items-center gap-[9px] rounded-7 px-3 max-sm:px-2.5 whitespace-nowrap text-t2 hover:bg-s2 hover:text-t1 aria-[current=page]:bg-s3 aria-[current=page]:font-[550] aria-[current=page]:text-t1 pointer-coarse:h-11"
            >
              <Icon name={icon} size={15} className={section === id ? 'text-acc' : ''} />
              {label}
              {isAdmin && !may('admin') && (
                <Icon name="lock" size={13} className="ml-auto text-t3" />
              )}
            </NearLink>
          ))}
        </nav>
        <div className="min-w-0">
          {section === 'account' ? (
            <AccountSection now={now} />
          ) : !may('admin') ? (
            <AdminsOnly what={section === 'keys' ? 'API keys' : 'users'} />
          ) : section === 'keys' ? (
            <KeysSection now={now} />
          ) : (
            <UsersSection now={now} />
          )}
        </div>
      </div>
    </div>
  );
}

function AdminsOnly({ what }: { what: string }) {
  const { account } = useSession();
  return (
    <section className="card flex gap-3 p-5">
      <Icon name="lock" size={18} className="mt-0.5 text-t3" />
      <div>
        <h2 className="font-[620]">Only admins can manage {what}.</h2>
        <p className="text-t2">
          You are signed in as {visibleText(account.name)} ({account.role}). Ask an admin for help
          or for the admin role.
        </p>
      </div>
    </section>
  );
}
