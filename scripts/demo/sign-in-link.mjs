import { PlainFailure } from '../process/plain-failure.mjs';

/** The link that a started demo printed, which signs in. */
export function signInLink(server) {
  const link = /https?:\/\/\S*\/demo\?\S*/.exec(server.output())?.[0];
  if (!link) throw new PlainFailure(`The demo printed no link. Its output:\n${server.output()}`);
  return link;
}
