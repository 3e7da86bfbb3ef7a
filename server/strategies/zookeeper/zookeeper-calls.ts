import { type Client, CreateMode, type Event, Exception } from 'node-zookeeper-client';

/** The calls of `node-zookeeper-client` that the lock needs, as promises. */
export interface ZookeeperCalls {
  createEphemeralSequential(path: string): Promise<string>;
  /** Creates it and what is missing above it; no error if it exists. */
  createAll(path: string): Promise<void>;
  children(path: string): Promise<string[]>;
  /** Whether it exists; `onEvent` is called once, when it is deleted or changed. */
  watch(path: string, onEvent: (event: Event) => void): Promise<boolean>;
  remove(path: string): Promise<void>;
}

export function zookeeperCalls(client: Client): ZookeeperCalls {
  return {
    createEphemeralSequential: (path) =>
      promised((done) => client.create(path, CreateMode.EPHEMERAL_SEQUENTIAL, done)),
    createAll: (path) => promised((done) => client.mkdirp(path, (error) => done(error, undefined))),
    children: (path) => promised((done) => client.getChildren(path, done)),
    watch: (path, onEvent) =>
      promised((done) => client.exists(path, onEvent, (error, stat) => done(error, Boolean(stat)))),
    remove: (path) => promised((done) => client.remove(path, (error) => done(error, undefined))),
  };
}

const codeOf = (error: unknown) => (error as { code?: unknown } | null)?.code;

export const isNoNode = (error: unknown): boolean => codeOf(error) === Exception.NO_NODE;

/** Whether the connection broke, so that it is unknown whether the request was executed. */
export const isConnectionLoss = (error: unknown): boolean =>
  codeOf(error) === Exception.CONNECTION_LOSS;

function promised<T>(ask: (done: (error: Error | Exception | null, value: T) => void) => void) {
  return new Promise<T>((resolve, reject) => {
    ask((error, value) => (error ? reject(error) : resolve(value)));
  });
}
