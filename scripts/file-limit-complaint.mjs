/** Files that the server has open before its first caller connects, and room for a few of those. */
const OPEN_FILES_MIN = 256;

/**
 * How many files this process may have open; null where the system does not say. Node has raised its own limit to the
 * hard one by the time it runs anything.
 */
export function openFilesLimit() {
  process.report.excludeNetwork = true;
  const { soft } = process.report.getReport().userLimits?.open_files ?? {};
  return typeof soft === 'number' ? soft : null;
}

/** One line if so few open files are allowed that the server could not start, else null. */
export function fileLimitComplaint(limit) {
  if (limit === null || limit >= OPEN_FILES_MIN) return null;
  return `This process may have ${limit} files open, and Lockyard needs at least ${OPEN_FILES_MIN}. Raise the limit, for example with: ulimit -n 4096`;
}
