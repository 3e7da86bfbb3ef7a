/** The limits of ZooKeeper's numbers, and the sizes above which one znode is slow. */
export interface ZookeeperLimits {
  /** History rows under one parent. */
  rowsPerChunk: number;
  /** A znode is not overwritten at this version: the one after next would mean any version. */
  lastVersion: number;
  /**
   * A longer queue is stored apart from its record, so that the record can be written without it.
   */
  inlineQueueChars: number;
}

export const LIMITS: ZookeeperLimits = {
  rowsPerChunk: 1_000_000,
  lastVersion: 2 ** 31 - 1,
  inlineQueueChars: 4_000,
};
