'use client';

import { useEffect, useState } from 'react';
import { useKeys } from '../live/use-keys';
import { useLoaded, useLoadedEarly } from '../navigation/use-loaded';
import { useOpenPage } from '../navigation/use-open-page';
import { useRemainingFocus } from '../navigation/use-remaining-focus';
import { pastHref } from '../past/past-address';
import { usePastAt } from '../past/past-at';
import { NAV_ITEMS } from './nav-rail';

const loadDialog = () => import('./shortcuts-dialog').then((all) => all.ShortcutsDialog);
const LOADERS = [loadDialog];

/**
 * The keys that lead to other pages, which show the same instant as this one, and `?`, which lists
 * all keys. It also moves the focus on when a key has removed the control that had it.
 */
export function ShortcutKeys() {
  const open = useOpenPage();
  const [isOpen, setOpen] = useState(false);
  const { part: ShortcutsDialog, isFailing } = useLoaded(loadDialog, isOpen);
  useLoadedEarly(LOADERS, true);
  // Otherwise the dialog would open when it is no longer wanted.
  useEffect(() => {
    if (isFailing) setOpen(false);
  }, [isFailing]);
  const at = usePastAt();
  const going = NAV_ITEMS.map(({ key, href }) => [`g ${key}`, () => open(pastHref(href, at))]);
  useRemainingFocus();
  useKeys({ '?': () => setOpen(true), ...Object.fromEntries(going) });
  return isOpen && ShortcutsDialog && <ShortcutsDialog onClose={() => setOpen(false)} />;
}
