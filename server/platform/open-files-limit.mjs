/**
 * How many files this process may have open; null where the system does not say. Node has raised
 * its own limit to the hard one by the time it runs anything.
 *
 * @returns {number | null}
 */
export function openFilesLimit() {
  process.report.excludeNetwork = true;
  const { soft } = process.report.getReport().userLimits?.open_files ?? {};
  return typeof soft === 'number' ? soft : null;
}
