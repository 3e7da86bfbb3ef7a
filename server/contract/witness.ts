import { z } from 'zod';

/** How many processes one report, or one answer, may list. */
const PROCESSES_MAX = 1_000;

/** The highest process id of Linux. */
export const PID_MAX = 4_194_304;

const pid = z.int().min(1).max(PID_MAX).describe('The process id in that namespace.');

const pidStart = z
  .string()
  .regex(/^\d{1,20}$/, 'must be digits')
  .describe(
    'When the process was started, in clock ticks since boot: field 22 of `/proc/<pid>/stat`.',
  );

/** The report of a witness on one process. */
export const witnessedProcess = z.strictObject({
  pid,
  pidStart,
  state: z
    .enum(['alive', 'dead', 'unknown'])
    .describe(
      '`dead` only for a process id that is gone, or belongs to a process that was started at ' +
        'another time.',
    ),
  evidence: z.string().max(200).describe('What was seen, for people.'),
});

export const witnessReportInput = z.strictObject({
  host: z.string().min(1).max(255).describe('The host name of this machine.'),
  bootId: z
    .string()
    .regex(/^[0-9a-f-]{8,64}$/, 'must be hexadecimal digits and dashes')
    .describe('`/proc/sys/kernel/random/boot_id`.'),
  pidNamespace: z
    .string()
    .regex(/^\d{1,20}$/, 'must be digits')
    .describe('The number of the namespace that `/proc/self/ns/pid` names.'),
  processes: z
    .array(witnessedProcess)
    .max(PROCESSES_MAX)
    .default([])
    .describe('The states of the processes in the last answer; empty in the first report.'),
});

export const witnessReportAnswer = z.object({
  processes: z
    .array(z.object({ pid, pidStart }))
    .describe('Processes of this machine that hold locks, at most 1,000, to examine next.'),
  lookAgainInMs: z.int().min(0).describe('When to examine them and report again.'),
});
