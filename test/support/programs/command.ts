import { vi } from 'vitest'
import { main } from '../../../src/cli/commands/main.ts'
import type { Ended } from './program.ts'

/** Less than a test may take, so that the one that hangs says which it was, and not those behind it. */
const MAX_COMMAND_MS = 100_000

let last: Promise<unknown> = Promise.resolve()

/**
 * Runs a subcommand to its end in this process, which costs a tenth of a program. One runs at a time,
 * since what they print is taken from the streams of the process.
 */
export function command(args: readonly string[]): Promise<Ended> {
  const ended = last.then(() => runHere(args))
  last = ended.catch(() => null)
  return ended
}

async function runHere(args: readonly string[]): Promise<Ended> {
  const stdout = printedTo(process.stdout)
  const stderr = printedTo(process.stderr)
  try {
    const code = await inTime(main(args), () => {
      return `cairn ${args.join(' ')} does not end; so far: ${stdout.text()}${stderr.text()}`
    })
    return { code, stdout: stdout.text(), stderr: stderr.text() }
  } finally {
    for (const { end } of [stdout, stderr]) end()
  }
}

async function inTime(code: Promise<number>, describe: () => string): Promise<number> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(describe())), MAX_COMMAND_MS)
  })
  try {
    return await Promise.race([code, late])
  } finally {
    clearTimeout(timer)
  }
}

function printedTo(stream: NodeJS.WriteStream) {
  const chunks: string[] = []
  const write = vi.spyOn(stream, 'write').mockImplementation((chunk) => {
    chunks.push(String(chunk))
    return true
  })
  return { text: () => chunks.join(''), end: () => write.mockRestore() }
}
