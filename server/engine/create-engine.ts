import type { EngineOptions } from './engine-context';
import { GroupCommitEngine } from './group-commit-engine';
import type { StoreEngine } from './lock-engine';

/** Creates and starts the engine of one store, which may be unreachable. */
export async function createEngine(options: EngineOptions): Promise<StoreEngine> {
  const engine = new GroupCommitEngine(options);
  await engine.start();
  return engine;
}
