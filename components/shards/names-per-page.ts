/** How many names a page of them has. */
export const NAMES_PER_PAGE = 50;
