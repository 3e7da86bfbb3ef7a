'use client';

import Link from 'next/link';
import { type ComponentProps, useState } from 'react';

/**
 * A link whose page is loaded ahead once the pointer or the focus is on it. Loading every page of
 * the navigation ahead would have the server render a dozen pages that few people open.
 */
export function NearLink(props: ComponentProps<typeof Link>) {
  const [isNear, setNear] = useState(false);
  const onNear = () => setNear(true);
  return (
    <Link {...props} prefetch={isNear ? null : false} onPointerEnter={onNear} onFocus={onNear} />
  );
}
