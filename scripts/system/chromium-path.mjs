import { findProgram } from './find-program.mjs';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const elsewhere = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The browser of this machine, or the one that CHROMIUM_PATH names; null if there is none. */
export const chromiumPath = () => process.env.CHROMIUM_PATH || findProgram(names, elsewhere);
