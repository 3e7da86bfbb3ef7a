/** A server's answer, or why there is none: `why` is the end of a sentence. */
export type Asked<Facts> = { address: string } & (
  | { answers: true; facts: Facts }
  | { answers: false; why: string }
);

export interface MysqlFacts {
  version: string;
  /** The same for every address of one server; it differs between servers. */
  identity: string;
  /** The account of the connection, such as `lab@10.0.0.7`. */
  account: string;
  /** Whether it may create and drop the Lab's databases. */
  mayCreate: boolean;
  /** Databases that a preflight created and could not drop. */
  leftBehind: string[];
}

export interface RedisFacts {
  version: string;
  /** Its `run_id`. */
  identity: string;
  role: string;
  isCluster: boolean;
  evictionPolicy: string;
}

export interface ZookeeperFacts {
  /** Null if it does not report its version. */
  version: string | null;
}

/** The configured servers as they were found; absent if none is configured. */
export interface FoundServers {
  mysql?: Asked<MysqlFacts>;
  redis: Asked<RedisFacts>[];
  zookeeper?: Asked<ZookeeperFacts>;
}

/** Marks by which the stores of this Lockyard are recognised. */
export interface BackendMarks {
  /** `host:port` of each. */
  addresses: string[];
  /** Identities of those that answered. */
  identities: string[];
}
