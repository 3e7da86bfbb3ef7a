import type { GuaranteeReading } from '@/server/contract/console/guarantee-row';
import { Icon } from '../icons/icon';

type Setting = GuaranteeReading['settings'][number];

/**
 * The settings that were read of a store: those with a complaint at once, all of them when asked
 * for.
 */
export function StoreSettings({ backend, settings }: { backend: string; settings: Setting[] }) {
  const bad = settings.filter(({ complaint }) => complaint !== null);
  const good = settings.filter(({ complaint }) => complaint === null);
  return (
    <div>
      {bad.length > 0 && (
        <SettingList label={`Settings of ${backend} to be looked at`} settings={bad} />
      )}
      <details className="store-settings">
        <summary>
          {bad.length > 0
            ? `${good.length} other settings, without a complaint`
            : `${good.length} settings read, none to complain of`}
        </summary>
        <SettingList label={`Settings of ${backend} that are well`} settings={good} />
      </details>
    </div>
  );
}

function SettingList({ label, settings }: { label: string; settings: Setting[] }) {
  return (
    <ul aria-label={label} className="setting-list">
      {settings.map(({ name, value, complaint }) => (
        <li key={name}>
          <span className="font-mono text-12 text-t2">{name}</span>
          <span className="font-mono text-12">{value === '' ? '–' : value}</span>
          {complaint !== null && (
            <span className="flex items-baseline gap-1.5 font-[550] text-contended">
              <Icon name="alert-triangle" size={13} className="self-center" />
              {complaint}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
