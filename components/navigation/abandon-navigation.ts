/**
 * Abandons a navigation whose page has not come yet: otherwise that page would later replace this
 * one, and whatever was opened in it meanwhile. Writing the address again has this effect.
 */
export function abandonNavigation(): void {
  window.history.replaceState(null, '', window.location.href);
}
