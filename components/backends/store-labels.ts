/** What a store is called, by the scheme of its URL. */
export const KIND_LABELS: Record<string, string> = {
  sqlite: 'SQLite, embedded',
  mysql: 'MySQL',
  redis: 'Redis',
  zookeeper: 'ZooKeeper',
};

/** What the loss of the store would mean, for an operator on call. */
export const FAILURE_EFFECTS: Record<string, string> = {
  sqlite:
    'It lives and dies with this server. Everything that was answered is there at the next start; leases run on meanwhile.',
  mysql:
    'Calls are answered “down” or “unknown” within 5 s, and go on by themselves within 5 s of its return. Leases run on meanwhile. Before a replica takes its place, stop every server and raise the epoch.',
  redis:
    'Calls are answered “down” or “unknown” within 5 s, and go on by themselves within 5 s of its return. If it forgot anything, what was held there is lost: tokens go on in a higher epoch, and nothing is granted for one longest lease.',
  zookeeper:
    'Calls are answered “down” or “unknown” within 5 s, and go on by themselves once its clock has been measured again. Records are kept, and leases run on meanwhile.',
};
