import type { EngineOptions } from './engine-context';
import { GroupCommitEngine } from './group-commit-engine';
import type { StoreEngine } from './lock-engine';

/** Builds the engine of one store and starts it. The store may be away. */
export async function createEngine(options: EngineOptions): Promise<StoreEngine> {
  const engine = new GroupCommitEngine(options);
  await engine.start();
  return engine;
}
