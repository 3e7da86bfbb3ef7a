'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { GuaranteeRow } from '@/server/contract/console/guarantee-row';
import { spokenDuration } from '../format/durations';
import { problemOf } from '../live/problem';
import { useSession } from '../live/session';
import { useTRPC } from '../live/trpc';
import { Button } from '../ui/controls/button';

/** When the settings of a backend were read, and for operators a button that reads them now. */
export function GuaranteeCheck({ row }: { row: GuaranteeRow }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const { may } = useSession();
  const reading = useMutation(
    trpc.backends.readGuarantees.mutationOptions({
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.backends.guarantees.queryKey() }),
    }),
  );
  const { backend, isFailing } = row;
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
      <span role="status" className={`text-12 ${isFailing ? 'text-unknown' : 'text-t3'}`}>
        {reading.error ? problemOf(reading.error).text : ageLabel(row)}
      </span>
      {may('operator') && (
        <Button
          size="small"
          disabled={reading.isPending}
          aria-label={`Read the settings of ${backend} again now`}
          onClick={() => reading.mutate({ backend })}
        >
          Read again now
        </Button>
      )}
    </div>
  );
}

function ageLabel({ reading, isFailing }: GuaranteeRow): string {
  if (!reading) return isFailing ? 'Settings cannot be read' : 'Settings are being read';
  const read = `Settings read ${spokenDuration(reading.ageMs)} ago`;
  return isFailing ? `${read}; they cannot be read now` : read;
}
