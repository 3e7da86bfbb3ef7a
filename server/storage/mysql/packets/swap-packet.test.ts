import { expect, it } from 'vitest';
import { creation, eventOf, freshKey, update } from '../../conformance/testing/changes';
import { swapAllPacket, swapPacket } from './swap-packet';

const created = creation(freshKey(), { events: [eventOf(1)] });
const updated = update(freshKey(), { rev: 1, writer: 'w' }, { events: [eventOf(2)] });
const late = { ...updated, clock: { past: 2, ahead: Number.POSITIVE_INFINITY } };

it.each([true, false])(
  'a packet ends with its commit: an error before it means nothing was applied (RETURNING: %s)',
  (hasReturning) => {
    const packets = [
      swapPacket([updated], hasReturning),
      swapPacket([created, updated], hasReturning),
      swapPacket([{ ...created, clock: { past: 0, ahead: 1 } }, late], hasReturning),
      swapAllPacket([created, updated], hasReturning),
    ];
    expect(packets.map(({ statements }) => statements.at(-1))).toEqual(packets.map(() => 'COMMIT'));
  },
);
