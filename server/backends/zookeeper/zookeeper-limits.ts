/** Where ZooKeeper's numbers end, and what is begun anew before. */
export interface ZookeeperLimits {
  /** Rows of the history under one parent. */
  rowsOfChunk: number;
  /** A znode is not written over at this version: the one after next would mean any. */
  lastVersion: number;
}
