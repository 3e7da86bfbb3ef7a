import { expect, it } from 'vitest';
import { newSeed } from '@/server/engine/testing/seeded';
import { playSeeds } from './play-seeds';
import type { WorldKind } from './world-kind';

/** Most seeds make plain worlds: playing only one kind finds more in the same time. */
const SEEDS = process.env.TEST_LONG === '1' ? 1_500 : 2;

const KINDS: WorldKind[] = ['lossy', 'crowded', 'permits', 'watched'];

it.each(KINDS)(
  'no promise is broken in %s worlds',
  async (kind) => {
    const lines: string[] = [];
    const from = newSeed();
    const bad = await playSeeds({ from, seeds: SEEDS, kind, say: (line) => void lines.push(line) });
    console.info(lines.at(-1));
    expect(bad, lines.join('\n')).toBe(0);
  },
  1_800_000,
);
