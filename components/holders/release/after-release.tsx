'use client';

import type { HeldLock } from '@/server/contract/console/waits/holder-rows';
import { useRefusing } from '../../live/reading';
import { afterRelease } from './release-plan';

/** What happens to a lock if this hold is released, as far as is known. */
export const AfterRelease = ({ lock }: { lock: HeldLock }) => afterRelease(lock, useRefusing(lock));
