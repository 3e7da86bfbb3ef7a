import type { Change } from '../../record-store';
import { judgedSwap, judgedSwapAll } from './judged-swap';
import type { Packet, PacketOutcome } from './packet';
import { returningSwap, returningSwapAll } from './returning-swap';
import { sharedWindow } from './time-window';

/**
 * One packet, one transaction: every row lock is taken and released inside the server, none is held
 * across a round trip. History and remembered answers are written for the applied changes alone.
 *
 * @param hasReturning whether the server has `INSERT … RETURNING`. There a packet may fail with
 *   `GUARD_FAILED`: nothing was applied, and a `judgedSwap` applies those changes that can be
 */
export function swapPacket(changes: Change[], hasReturning: boolean): Packet<PacketOutcome> {
  const { first, last } = sharedWindow(changes);
  return hasReturning && first <= last ? returningSwap(changes) : judgedSwap(changes);
}

/** The same for changes that are applied all or none: `GUARD_FAILED` means none, everywhere. */
export function swapAllPacket(changes: Change[], hasReturning: boolean): Packet<PacketOutcome> {
  return hasReturning ? returningSwapAll(changes) : judgedSwapAll(changes);
}
