import { existsSync, readFileSync } from 'node:fs'
import { scriptOfNpx } from '../settings.ts'

const LOOK_EVERY_MS = 250

/**
 * Ends the program as SIGTERM does when npx was ended. npx runs a program through a shell, passes
 * signals on to that shell alone, and the shell dies of them without a word to the program.
 * A program that was started in another way is left alone, whatever becomes of its parent.
 */
export function endWithNpx(): void {
  const shell = process.ppid
  const script = scriptOfNpx()
  if (script === null || !isShellThatRuns(script, shell)) return
  const looks = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(looks)
    process.kill(process.pid, 'SIGTERM')
  }, LOOK_EVERY_MS)
  looks.unref()
}

/** The variables of npx reach whatever it starts; only the shell's command line tells the shell of npx. */
function isShellThatRuns(script: string, pid: number): boolean {
  const file = `/proc/${pid}/cmdline`
  if (!existsSync(file)) return false
  const [, flag, line = ''] = readFileSync(file, 'utf8').split('\0')
  return flag === '-c' && line.startsWith(script)
}
