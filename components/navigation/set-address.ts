/** Writes parameters into the page's address, without Next; removes those that are null. */
export function setAddress(values: Record<string, string | null>): void {
  const { pathname, search } = window.location;
  const params = new URLSearchParams(search);
  for (const [name, value] of Object.entries(values)) {
    if (value === null || value === '') params.delete(name);
    else params.set(name, value);
  }
  window.history.replaceState(null, '', params.size > 0 ? `${pathname}?${params}` : pathname);
}
