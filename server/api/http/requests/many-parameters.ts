/** Far more than any query has. */
export const PARAMETERS_MAX = 100;

/** Whether an address has so many parameters that reading them would delay all other callers. */
export function hasManyParameters(query: string): boolean {
  let marks = 0;
  for (let at = query.indexOf('&'); at >= 0; at = query.indexOf('&', at + 1)) {
    marks += 1;
    if (marks >= PARAMETERS_MAX) return true;
  }
  return false;
}
