'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Fragment } from 'react';
import type { GuaranteeReading, GuaranteeRow } from '@/server/contract/console/guarantee-row';
import { agoText } from '@/server/core/format/durations';
import { plural } from '@/server/core/format/numbers';
import { Icon } from '../icons/icon';
import { problemOf } from '../live/problem';
import { useSession } from '../live/session';
import { useTRPC } from '../live/trpc';
import { Button } from '../ui/controls/button';

type Setting = GuaranteeReading['settings'][number];

/** The settings of a store that were checked: those that need attention, the others folded. */
export function StoreSettings({ row }: { row: GuaranteeRow }) {
  const { backend, reading } = row;
  const settings = reading?.settings ?? [];
  const failed = settings.filter(({ complaint }) => complaint !== null);
  const passed = settings.filter(({ complaint }) => complaint === null);
  return (
    <div className="flex flex-col gap-2">
      {reading && (
        <div>
          {failed.length > 0 && (
            <SettingList label={`Settings of ${backend} that need attention`} settings={failed} />
          )}
          <details>
            <summary className="py-1.5 text-t2 hover:text-t1 lg:-mt-1.5 pointer-coarse:py-3">
              {failed.length > 0
                ? `${plural(passed.length, 'other setting')} passed`
                : `${plural(passed.length, 'setting')} checked, no issues`}
            </summary>
            <SettingList label={`Settings of ${backend} that passed`} settings={passed} />
          </details>
        </div>
      )}
      <SettingsCheck row={row} />
    </div>
  );
}

function SettingList({ label, settings }: { label: string; settings: Setting[] }) {
  return (
    <ul aria-label={label} className="setting-list">
      {settings.map(({ name, value, complaint }) => (
        <li key={name}>
          <span className="font-mono text-12 text-t2">
            <BreakableText text={name} />
          </span>
          <span className="font-mono text-12">
            {value === '' ? '–' : <BreakableText text={value} />}
          </span>
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

/** A name or value that is broken between its words, not inside one. */
function BreakableText({ text }: { text: string }) {
  return text.split(/(?<=[_.,/-])/).map((part, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the words of one text never change places
    <Fragment key={place}>
      {place > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}

/** When the settings were last checked, and for operators a button that checks them now. */
function SettingsCheck({ row }: { row: GuaranteeRow }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const { may } = useSession();
  const check = useMutation(
    trpc.backends.readGuarantees.mutationOptions({
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.backends.guarantees.queryKey() }),
    }),
  );
  const { backend, isFailing } = row;
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
      <span role="status" className={`text-12 ${isFailing ? 'text-unknown' : 'text-t3'}`}>
        {check.error ? problemOf(check.error).text : ageLabel(row)}
      </span>
      {may('operator') && (
        <Button
          size="small"
          disabled={check.isPending}
          aria-label={`Check the settings of ${backend} now`}
          onClick={() => check.mutate({ backend })}
        >
          Check now
        </Button>
      )}
    </div>
  );
}

function ageLabel({ reading, isFailing }: GuaranteeRow): string {
  if (!reading) return isFailing ? 'Could not read settings' : 'Checking settings…';
  const checked = `Checked ${agoText(reading.ageMs)}`;
  return isFailing ? `${checked}; could not read settings since` : checked;
}
