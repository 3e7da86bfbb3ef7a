import type { Runtime } from './operations/operation-context';

const PLACE = Symbol.for('lockyard.runtime');

type Host = { [PLACE]?: Runtime };

/**
 * The runtime of this process. Next bundles every module several times, so it lives where all copies find it.
 *
 * @throws Error before the process has finished starting
 */
export function currentRuntime(): Runtime {
  const runtime = (globalThis as Host)[PLACE];
  if (!runtime) throw new Error('The server has not finished starting.');
  return runtime;
}

export function setCurrentRuntime(runtime: Runtime): void {
  (globalThis as Host)[PLACE] = runtime;
}
