'use client';

import { useQuery } from '@tanstack/react-query';
import { type HolderFilter, unknownBecause } from '@/server/contract/console/waits/holder-figures';
import type { HoldersPage } from '@/server/contract/console/waits/holder-rows';
import { plural } from '@/server/core/format/numbers';
import { useBlockingMs } from '../live/reading';
import { useTRPC } from '../live/trpc';
import { FigureCount } from '../locks/figures/figure-count';
import { FigureTile, lookOf } from '../locks/figures/figure-tile';
import { sampleSeries } from '../locks/figures/fleet-series';
import { setAddress } from '../navigation/set-address';
import { Duration } from '../ui/duration';

/** How often the figures of the last hour are read again. */
const FLEET_EVERY_MS = 5_000;

/** The processes in figures; a click shows those behind one. */
export function HolderStrip({ page, filter }: { page: HoldersPage; filter: HolderFilter | null }) {
  const { figures, processes, holds, waiting, past } = page;
  const { data: fleet } = useQuery(
    useTRPC().insights.fleet.queryOptions(undefined, {
      enabled: !past,
      refetchInterval: FLEET_EVERY_MS,
    }),
  );
  const show = (wanted: HolderFilter) => ({
    isSet: filter === wanted,
    onPress: () => setAddress({ verdict: filter === wanted ? null : wanted }),
  });
  const { dead, leftBehind, unknown, deadlock, blocking } = figures;
  const course = (figure: 'held' | 'waiting', now: number) =>
    fleet && !past ? sampleSeries(fleet, figure, now) : [];
  return (
    <section
      aria-label="Processes in figures"
      data-unknown={unknown > 0}
      className="figure-strip holder-strip"
    >
      <FigureTile
        look={look('processes', processes)}
        title="Processes that hold a lock"
        value={<FigureCount of={processes} />}
        below={`processes of ${plural(figures.services, 'service')}`}
      />
      <FigureTile
        look={look('dead', dead)}
        title="Filter: processes that are proven dead"
        value={<FigureCount of={dead} />}
        below={dead > 0 ? `${plural(leftBehind, 'hold')} left behind` : 'none known'}
        action={show('dead')}
      />
      <FigureTile
        look={look('unknown', unknown)}
        title="Filter: processes without recent evidence"
        value={<FigureCount of={unknown} />}
        below={unknown > 0 ? unknownBecause(page) : 'none'}
        action={show('unknown')}
      />
      <FigureTile
        look={look('deadlock', deadlock)}
        title="Filter: processes that wait in a deadlock"
        value={<FigureCount of={deadlock} />}
        below={deadlock > 0 ? 'waiting for each other' : 'none found'}
        action={show('deadlock')}
      />
      <FigureTile
        series={course('held', fleet?.held ?? holds)}
        look={look('held', 0)}
        title="Holds of all processes"
        value={<FigureCount of={holds} />}
        below="by all processes"
      />
      <FigureTile
        series={course('waiting', waiting)}
        look={look('waiting', waiting)}
        title="Waiting callers. Filter: processes that keep callers waiting"
        value={<FigureCount of={waiting} />}
        below={`behind ${plural(blocking, 'process', 'processes')}`}
        action={show('blocking')}
      />
      <FigureTile
        look={look('blocking', waiting)}
        title="The sum of the ages of all waits"
        value={<WaitingTime page={page} />}
        below="sum of all waits"
      />
    </section>
  );
}

const LOOKS = {
  processes: { label: 'Holding', icon: 'process', tone: 'text-t2' },
  dead: { label: 'Dead', icon: 'unplug', tone: 'text-dangertext' },
  unknown: { label: 'Unknown', icon: 'question', tone: 'text-unknown' },
  deadlock: { label: 'In a deadlock', icon: 'cycle', tone: 'text-dangertext' },
  held: { label: 'Holds', icon: 'lock', tone: 'text-t2' },
  waiting: { label: 'Waiting', icon: 'queue', tone: 'text-contended' },
  blocking: { label: 'Waiting time', icon: 'timer', tone: 'text-contended' },
} as const;

const look = (name: keyof typeof LOOKS, value: number) => lookOf(LOOKS, name, value);

function WaitingTime({ page: { blockingMs, waiting, past } }: { page: HoldersPage }) {
  const ms = useBlockingMs(blockingMs, past ? 0 : waiting);
  return ms === 0 ? <span className="text-t3">0</span> : <Duration ms={ms} />;
}
