import type { LogEvent } from '../lib/log.ts'

/**
 * Lets the process outlive its log: a disk that is full, or a reader that is gone, ends nothing.
 * Who closes the output of a command has seen enough of it.
 */
export function outliveOutput(): void {
  process.stderr.on('error', ignore)
  process.stdout.on('error', ignore)
}

/** One line on standard output: what a command was asked for. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** One line on standard error: why a command ends. */
export function complain(line: string): void {
  process.stderr.write(`cairn: ${line}\n`)
}

/** A log line: one JSON object on standard error. */
export function writeLog({ level, message, facts }: LogEvent): void {
  const line = { time: new Date().toISOString(), level, message, ...facts }
  process.stderr.write(`${JSON.stringify(line)}\n`)
}

function ignore(): void {}
