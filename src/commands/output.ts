import type { LogEvent } from '../core/log.ts'

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
