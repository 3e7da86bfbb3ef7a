/** A grant with less than this left is useless: the larger of 10 % of the lease and 50 ms. */
export function leaseFloorMs(leaseMs: number): number {
  return Math.max(leaseMs / 10, 50);
}

/** Whether a grant came too late: `leftMs` is measured from before the decision began. */
export function isLate(leaseMs: number, leftMs: number): boolean {
  return leftMs < leaseFloorMs(leaseMs);
}
