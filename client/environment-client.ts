import { LockyardClient } from './lockyard-client';

let sharedClient: LockyardClient | undefined;

/**
 * One client for the process, made from `LOCKYARD_URL` and `LOCKYARD_API_KEY` when it is first
 * needed.
 */
export function environmentClient(): LockyardClient {
  sharedClient ??= new LockyardClient();
  return sharedClient;
}
