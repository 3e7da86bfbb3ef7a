import { PlainFailure } from '../process/plain-failure.mjs';

/** The sign-in link that a started demo has printed. */
export function signInLink(server) {
  const link = /https?:\/\/\S*\/demo\?\S*/.exec(server.output())?.[0];
  if (!link) throw new PlainFailure(`The demo printed no link. Its output:\n${server.output()}`);
  return link;
}
