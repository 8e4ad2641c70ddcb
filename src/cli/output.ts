import type { LogEvent } from '../lib/log.ts'

/**
 * Keeps the process alive without its log: a full disk, or a closed reader, ends nothing. The
 * reader of a command's output may close it early.
 */
export function outliveOutput(): void {
  process.stderr.on('error', ignore)
  process.stdout.on('error', ignore)
}

/** Writes the result of a command, one line on standard output. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Writes why a command fails, one line on standard error. */
export function complain(line: string): void {
  process.stderr.write(`cairn: ${line}\n`)
}

/** A log line: one JSON object on standard error. */
export function writeLog({ level, message, facts }: LogEvent): void {
  const line = { time: new Date().toISOString(), level, message, ...facts }
  process.stderr.write(`${JSON.stringify(line)}\n`)
}

function ignore(): void {}
