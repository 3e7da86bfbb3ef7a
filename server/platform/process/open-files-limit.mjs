/**
 * How many files this process may have open; null where the system does not report it. Node raises
 * its soft limit to the hard one before it runs anything.
 *
 * @returns {number | null}
 */
export function openFilesLimit() {
  process.report.excludeNetwork = true;
  const { soft } = process.report.getReport().userLimits?.open_files ?? {};
  return typeof soft === 'number' ? soft : null;
}
