/**
 * Gives up a page that was asked for and has not come yet: otherwise it would replace this one
 * later, with what was opened in it meanwhile. Writing the address again does that.
 */
export function abandonNavigation(): void {
  window.history.replaceState(null, '', window.location.href);
}
