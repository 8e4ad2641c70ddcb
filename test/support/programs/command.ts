import { vi } from 'vitest'
import { main } from '../../../src/cli/commands/main.ts'
import type { Ended } from './program.ts'

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
    const code = await main(args)
    return { code, stdout: stdout.text(), stderr: stderr.text() }
  } finally {
    for (const { end } of [stdout, stderr]) end()
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
