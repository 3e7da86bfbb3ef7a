'use client';

import { usePathname, useSearchParams } from 'next/navigation';
import { useEffect, useRef, useState } from 'react';
import { useKeys } from '../live/use-keys';
import { listUrl, readListQuery } from '../locks/list/list-query';
import { useOpenPage } from '../navigation/use-open-page';
import { useTypedAddress } from '../navigation/use-typed-address';
import { SearchField } from '../ui/controls/search-field';
import { useMedia } from '../ui/use-media';

/** Too narrow for the whole label beside what else the bar has. */
const PHONE = '(max-width: 639.98px)';

/** Finds a lock, owner or token: while typing on the lock list, with Enter on any other page. */
export function SearchBox() {
  const params = useSearchParams();
  const pathname = usePathname();
  const open = useOpenPage();
  const input = useRef<HTMLInputElement>(null);
  const isList = pathname === '/';
  const searched = isList ? readListQuery(params).search : '';
  const [text, setText] = useState(searched);
  const isPhone = useMedia(PHONE, false);

  // The typed text is newer than the address, which follows a moment later.
  useEffect(() => {
    if (document.activeElement !== input.current) setText(searched);
  }, [searched]);

  useKeys({ '/': () => input.current?.select() });

  const isWritten = text === searched || text.trim() === searched;
  useTypedAddress(text, !isList || isWritten, () => {
    const current = readListQuery(new URLSearchParams(window.location.search));
    window.history.replaceState(null, '', listUrl({ ...current, search: text.trim() }));
  });

  return (
    <SearchField
      ref={input}
      value={text}
      label="Search locks, owners or tokens"
      {...(isPhone && { placeholder: 'Search' })}
      onChange={setText}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== 'Escape') return;
        // By default the browser clears a search field at Escape; here Escape only leaves the
        // field, and the search stays.
        event.preventDefault();
        if (event.key === 'Escape' || isList) event.currentTarget.blur();
        else open(text.trim() ? `/?q=${encodeURIComponent(text.trim())}` : '/');
      }}
      className="min-w-0 flex-1 md:max-w-[400px]"
    >
      <kbd className="key pointer-events-none absolute top-1/2 right-2 -translate-y-1/2 max-md:hidden">
        /
      </kbd>
    </SearchField>
  );
}
