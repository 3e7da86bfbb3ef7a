/**
 * A commit may block the event loop; the first turn behind it ends before the network is looked at,
 * the second reads it.
 */
const TURNS = 3;

/**
 * Resolves once a hang-up that has already reached this machine has been reported to its listeners.
 */
export async function pendingHangUps(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
