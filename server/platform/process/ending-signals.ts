/** The signals that should end a process: of a supervisor, of Ctrl+C, of a terminal that closes. */
export const ENDING_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
