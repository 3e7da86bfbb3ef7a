'use client';

import { useState } from 'react';
import type { LockRow } from '@/server/contract/console/lock-row';
import { plural } from '@/server/core/format/numbers';
import { visibleText } from '@/server/core/format/visible-text';
import { Icon } from '../../icons/icon';
import { useAtBackend } from '../../live/reading';
import { isRenewing } from '../../locks/lock-facts';
import { Field } from '../../ui/controls/field';
import { useMedia } from '../../ui/use-media';
import type { HoldSnapshot } from '../hold-snapshot';

/** With more waiters than this, the lock's name must be typed. */
const NAME_REQUIRED_ABOVE = 10;

/** On a touch screen the last part of a name is enough, unless it is shorter than this. */
const PART_MIN = 4;

export interface TypedName {
  /** Why the name must be typed; null: it need not be. */
  because: string | null;
  typed: string;
  setTyped: (typed: string) => void;
  /** What may be typed in place of the whole name; null: nothing. */
  part: string | null;
  isTyped: boolean;
  /** What is missing for the act, as `OperatorDialog` lists it. */
  missing: string[];
}

/** Taking a lock from a holder that still renews, or with a long queue, needs its name typed. */
export function useTypedName(row: LockRow, seen: HoldSnapshot): TypedName {
  const [typed, setTyped] = useState('');
  const renewal = seen.hold?.renewal;
  const isAlive = useAtBackend(row, (now) => renewal !== undefined && isRenewing(renewal, now));
  const required = requiredBecause(isAlive, seen.waiters);
  // Once the name has to be typed, this stays so: the dialog must not become easier to confirm
  // while it is open.
  const [because, setBecause] = useState<string | null>(null);
  if (required !== null && because === null) setBecause(required);
  const isTouch = useMedia('(pointer: coarse)', false);
  const part = isTouch ? lastPart(row.name) : null;
  const isTyped = isNameTyped(row.name, typed, part);
  const missing = because !== null && !isTyped ? ['lock name'] : [];
  return { because, typed, setTyped, part, isTyped, missing };
}

/** Whether the whole name was typed, or `part` if that is not null. */
export function isNameTyped(name: string, typed: string, part: string | null): boolean {
  return typed === asField(name) || (part !== null && typed === asField(part));
}

/** A text field removes line breaks from what is entered. */
const asField = (text: string) => text.replaceAll(/[\n\r]/g, '');

function lastPart(name: string): string | null {
  const part = name.split(/[:/]/).at(-1) ?? '';
  return part.length >= PART_MIN && part !== name ? part : null;
}

function requiredBecause(isAlive: boolean, waiters: number): string | null {
  if (isAlive) return 'the holder is still renewing';
  return waiters > NAME_REQUIRED_ABOVE ? plural(waiters, 'waiter') : null;
}

/** The field for the name; renders nothing while the name need not be typed. */
export function TypedNameField({
  of: { because, typed, setTyped, part, isTyped },
}: {
  of: TypedName;
}) {
  if (because === null) return null;
  return (
    <Field
      label="Type the lock name to confirm"
      hint={part === null ? because : `or its end, ${visibleText(part)} (${because})`}
      mono
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
      autoComplete="off"
      autoCapitalize="off"
      autoCorrect="off"
      spellCheck={false}
      end={
        isTyped && (
          <span className="flex items-center gap-1.5 text-12 font-[550] text-acc">
            <Icon name="check" size={15} />
            matches
          </span>
        )
      }
    />
  );
}
