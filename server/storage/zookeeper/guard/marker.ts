import type { GuardedConnection } from '../client/guarded-connection';
import { getData } from '../client/wire-calls';

/** The mark of an incarnation, as it was last seen. */
export interface Marker {
  incarnation: string;
  version: number;
  heartbeat: number;
  epoch: number;
}

const DIGITS = 16;

/** The heartbeat has a fixed length, so that writing it never exceeds a quota. */
export const markerData = (heartbeat: number, epoch: number): string =>
  `${String(heartbeat).padStart(DIGITS, '0')} ${epoch}`;

/** Null: there is no mark of this incarnation. */
export async function readMarker(
  connection: GuardedConnection,
  incarnation: string,
): Promise<Marker | null> {
  const read = await connection.ask(getData(connection.layout.marker(incarnation)));
  if (read === null) return null;
  const [heartbeat, epoch] = String(read.data).split(' ').map(Number);
  return { incarnation, version: read.stat.version, heartbeat: heartbeat || 0, epoch: epoch || 0 };
}
