/** As many counters as the list shows; the search finds the others. */
export const COUNTERS_SHOWN = 500;

/** As many moves as one look shows. */
export const CHANGES_SHOWN = 20;
