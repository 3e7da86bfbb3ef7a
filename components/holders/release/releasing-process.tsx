'use client';

import { createContext, type ReactNode, use, useState } from 'react';
import type { HeldLock } from '@/server/contract/console/waits/holder-rows';
import { useProcessDetail } from '../use-process-detail';
import { ReleaseAllDialog } from './release-all-dialog';

/** The process whose holds are to be released, and its locks as they were on the screen. */
interface Released {
  id: string;
  title: string;
  locks: HeldLock[];
}

const ReleaseProcess = createContext<(process: Released) => void>(() => undefined);

/** Opens the dialog that releases everything that a process holds. */
export const useReleaseProcess = () => use(ReleaseProcess);

/**
 * Keeps that dialog open with its results: a process whose last lock was released is no longer
 * listed.
 */
export function ReleasingProcess({ children }: { children: ReactNode }) {
  const [released, setReleased] = useState<Released | null>(null);
  return (
    <ReleaseProcess value={setReleased}>
      {children}
      {released && <ReleaseDialog process={released} onClose={() => setReleased(null)} />}
    </ReleaseProcess>
  );
}

function ReleaseDialog({ process, onClose }: { process: Released; onClose: () => void }) {
  const { id, title, locks } = process;
  const { data } = useProcessDetail(id);
  const renewedAt = data?.row.renewedAt ?? null;
  return <ReleaseAllDialog title={title} locks={locks} renewedAt={renewedAt} onClose={onClose} />;
}
