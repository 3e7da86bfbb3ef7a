import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { CommandFailure, EXIT } from './exit-codes';
import { parseDuration } from './terminal/duration';

/** The options that every verb accepts. */
export const COMMON_OPTIONS = {
  namespace: { type: 'string' },
  url: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

type Options = NonNullable<ParseArgsConfig['options']>;

/**
 * `parseArgs`, whose errors end the command line with the exit code for wrong usage. A word in
 * which Node may have replaced bytes is such an error too: it would name another lock.
 */
export function readArguments<const O extends Options>(args: string[], options: O) {
  refuseReplaced(args);
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    // Node's own message; its first sentence says what is wrong.
    const what = (error as Error).message.split(/\.\s|\n/)[0]?.replace(/\.$/, '');
    const isUnknown = what?.startsWith('Unknown option');
    throw wrongUsage(isUnknown ? `${what}; see: lockyard --help` : `${what}.`);
  }
}

/** What Node reads in place of bytes that are not UTF-8. */
const REPLACEMENT = '\ufffd';

function refuseReplaced(words: string[]): void {
  const word = words.find((each) => each.includes(REPLACEMENT));
  if (word === undefined) return;
  throw wrongUsage(`"${word}" has bytes that are not UTF-8, or U+FFFD, which replaces them.`);
}

/**
 * Refuses words in which Node has replaced bytes, since they could not be passed on unchanged. A
 * U+FFFD that was typed can; on Linux the kernel has the original bytes, which show which it is.
 */
export function refuseUnlessUtf8(words: string[]): void {
  if (!isCommandLineUtf8()) refuseReplaced(words);
}

function isCommandLineUtf8(): boolean {
  try {
    return isUtf8(readFileSync('/proc/self/cmdline'));
  } catch {
    return true; // Not Linux.
  }
}

export function wrongUsage(message: string): CommandFailure {
  return new CommandFailure(EXIT.usage, message);
}

/** The lock name that is the one positional of a verb. */
export function onlyArgument([name, surplus]: string[], usage: string): string {
  if (!name) throw wrongUsage(`Missing lock name. Usage: ${usage}`);
  refuseExtraWord(surplus, usage);
  return name;
}

/** Refuses the first word beyond those that a verb takes, if there is one. */
export function refuseExtraWord(word: string | undefined, usage: string): void {
  if (word === undefined) return;
  throw wrongUsage(`"${word}" is one word too many. Usage: ${usage}`);
}

/** Milliseconds of an option; `fallback` where it was not given. */
export function readDuration<F>(option: string, text: string | undefined, fallback: F): number | F {
  if (text === undefined) return fallback;
  const ms = parseDuration(text);
  if (ms !== null) return ms;
  throw wrongUsage(`${option} must be a duration such as 500ms, 30s, 5m, 2h or 1d, not "${text}".`);
}

/** A whole number of an option, within bounds. */
export function readNumber(option: string, text: string, min: number, max: number): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw wrongUsage(`${option} must be a whole number from ${min} to ${max}, not "${text}".`);
}
