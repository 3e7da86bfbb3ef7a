import type { EngineOptions } from './engine-context';
import { GroupCommitEngine } from './group-commit-engine';
import type { LockEngine } from './lock-engine';

/** Builds the engine of one backend and starts it. The backend may be away. */
export async function createEngine(options: EngineOptions): Promise<LockEngine> {
  const engine = new GroupCommitEngine(options);
  await engine.start();
  return engine;
}
