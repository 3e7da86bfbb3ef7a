/** How many names a page of them has. */
export const NAMES_SHOWN = 50;
