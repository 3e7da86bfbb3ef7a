import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Servers are often installed in folders that are only in an administrator's PATH. */
const alsoIn = ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin', '/opt/homebrew/bin'];

/**
 * The first of these programs found on the PATH, in a usual place, or at one of the paths
 * `elsewhere`; else null.
 */
export function findProgram(names, elsewhere = []) {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...alsoIn].filter(Boolean);
  const candidates = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...candidates, ...elsewhere].find(isExecutable) ?? null;
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const names = [
  'chromium-headless-shell', // without windows, so it starts and draws sooner
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
];
const elsewhere = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The browser of this machine, or the one that CHROMIUM_PATH names; null if there is none. */
export const chromiumPath = () => process.env.CHROMIUM_PATH || findProgram(names, elsewhere);
