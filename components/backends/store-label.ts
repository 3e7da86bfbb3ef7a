const LABELS: Record<string, string> = {
  sqlite: 'SQLite, embedded',
  mysql: 'MySQL',
  redis: 'Redis',
  zookeeper: 'ZooKeeper',
};

/** The name of a kind of store, which is the scheme of its URL. */
export const storeLabel = (kind: string): string => LABELS[kind] ?? kind;
