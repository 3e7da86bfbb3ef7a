/** `system`: whatever the browser says. */
export type Theme = 'system' | 'light' | 'dark';

export const THEME_STORAGE_KEY = 'lockyard.theme';

/** Runs before the first paint, so that the other theme never flashes up. */
export const THEME_SCRIPT =
  `try{var t=localStorage.getItem(${JSON.stringify(THEME_STORAGE_KEY)});` +
  `if(t==='light'||t==='dark')document.documentElement.dataset.theme=t}catch{}`;
