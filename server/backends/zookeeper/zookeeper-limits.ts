/** Where ZooKeeper's numbers end, and what is begun anew before; and what is too large for one znode to be quick. */
export interface ZookeeperLimits {
  /** Rows of the history under one parent. */
  rowsOfChunk: number;
  /** A znode is not written over at this version: the one after next would mean any. */
  lastVersion: number;
  /** A queue that is longer is kept apart from its record, so that the one is not written with the other. */
  charsOfQueue: number;
}

export const LIMITS: ZookeeperLimits = {
  rowsOfChunk: 1_000_000,
  lastVersion: 2 ** 31 - 1,
  charsOfQueue: 4_000,
};
