import { hostName, readHostIdentity, readProcessStat } from './linux-process';

/** The size limit of a hold's `meta`, as JSON. */
const META_MAX_BYTES = 1_024;

const VALUE_MAX_CHARS = 100;

/** Cuts a value between characters: half a surrogate pair would make every call invalid. */
export const metaValue = (text: string) => Array.from(text).slice(0, VALUE_MAX_CHARS).join('');

/** The variables in which CI systems pass the id of a run. */
const CI_RUN_VARIABLES = ['GITHUB_RUN_ID', 'CI_JOB_ID', 'BUILDKITE_JOB_ID', 'BUILD_TAG'];

type Env = Record<string, string | undefined>;

/**
 * What identifies this process in the `meta` of its holds, so that a witness can see whether it is
 * alive: `host` and `pid`; on Linux `bootId`, `pidNamespace` and `pidStart`; `pod` and `ciRun` if
 * it runs in one.
 */
export function processMeta(env: Env, proc?: string): Record<string, string> {
  const identity = readHostIdentity(proc);
  const stat = identity && readProcessStat(process.pid, proc);
  const kernel = identity && stat ? { ...identity, pidStart: stat.start } : { host: hostName() };
  const pod = env.KUBERNETES_SERVICE_HOST && (env.POD_NAME || env.HOSTNAME);
  const ciRun = CI_RUN_VARIABLES.map((name) => env[name]).find(Boolean);
  return {
    ...kernel,
    pid: String(process.pid),
    ...(pod && { pod: metaValue(pod) }),
    ...(ciRun && { ciRun: metaValue(ciRun) }),
  };
}

/**
 * A hold's `meta`: the caller's entries, which take precedence, and what identifies the process; of
 * that only `host`, `pid` and `version` if there is no room for all.
 */
export function metaWith(
  { host = '', pid = '', version = '', ...identity }: Record<string, string>,
  own: Record<string, string> = {},
): Record<string, string> {
  const plain = { host, pid, version, ...own };
  const whole = { ...identity, ...plain };
  return hasRoom(whole) ? whole : plain;
}

/** Also for what JSON cannot represent, which is refused when it is sent. */
function hasRoom(meta: Record<string, string>): boolean {
  try {
    return Buffer.byteLength(JSON.stringify(meta)) <= META_MAX_BYTES;
  } catch {
    return true;
  }
}
