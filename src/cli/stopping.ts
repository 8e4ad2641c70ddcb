import { existsSync, readFileSync } from 'node:fs'
import { scriptOfNpx } from '../settings/environment.ts'

const POLL_INTERVAL_MS = 250

/**
 * Aborted by the first SIGTERM or SIGINT. Later ones change nothing: a terminal signals every
 * process, and npm forwards its signals.
 */
export function stopSignal(): AbortSignal {
  const stop = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop.abort())
  return stop.signal
}

/**
 * Ends the program as on SIGTERM when npx is ended. npx runs a program through a shell and forwards
 * signals only to that shell, which dies without forwarding them. A program that was started in
 * another way is not affected by the end of its parent.
 */
export function endWithNpx(): void {
  const shell = process.ppid
  const script = scriptOfNpx()
  if (script === null || !isShellThatRuns(script, shell)) return
  const looks = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(looks)
    process.kill(process.pid, 'SIGTERM')
  }, POLL_INTERVAL_MS)
  looks.unref()
}

/**
 * The variables of npx are inherited by all its descendants; only the command line identifies the
 * shell of npx.
 */
function isShellThatRuns(script: string, pid: number): boolean {
  const file = `/proc/${pid}/cmdline`
  if (!existsSync(file)) return false
  const [, flag, line = ''] = readFileSync(file, 'utf8').split('\0')
  return flag === '-c' && line.startsWith(script)
}
