import { execFileSync } from 'node:child_process'
import { openSync, readSync, writeSync } from 'node:fs'
import { TempFolder } from '../disk/temp-folder.ts'
import { rootFile } from './root-file.ts'

const STARTER = rootFile('test/support/programs/small-starter.js')

export interface SmallRun {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly input: string | Uint8Array
}

export interface SmallEnd {
  readonly status: number | null
  readonly stdout: Buffer
  readonly stderr: Buffer
}

/** The descriptors over which the one starter of this process is asked and answers. */
interface Starter {
  readonly requests: number
  readonly answers: number
}

let starter: Starter | null = null

/**
 * Runs a program to its end as `spawnSync` does. A small process starts it, since one as large as this one is slow
 * to start others, and pays for each page of its memory that it writes afterwards.
 */
export function runSmall(
  program: string,
  args: readonly string[],
  { cwd, env, input }: SmallRun,
): SmallEnd {
  const { requests, answers } = (starter ??= startStarter())
  const bytes = Buffer.from(input)
  const request = { program, args, cwd, env, inputSize: bytes.length }
  const text = Buffer.from(JSON.stringify(request))
  write(requests, Buffer.concat([sizeOf(text), text, bytes]))
  const head: { status: number | null; error?: string; stdoutSize: number; stderrSize: number } =
    JSON.parse(read(answers, read(answers, 4).readUInt32LE()).toString())
  const end = {
    status: head.status,
    stdout: read(answers, head.stdoutSize),
    stderr: read(answers, head.stderrSize),
  }
  if (head.error !== undefined) throw new Error(head.error)
  return end
}

/**
 * The starter is no child of this process, as tests look at the children that it has. Both files are opened when the starter
 * has opened its ends, and it ends when this process has closed them.
 */
function startStarter(): Starter {
  using folder = new TempFolder()
  const files = [folder.file('requests'), folder.file('answers')] as const
  const script = 'command -p mkfifo "$3" "$4"; "$1" "$2" "$3" "$4" &'
  const args = ['-ec', script, 'sh', process.execPath, STARTER, ...files]
  execFileSync('sh', args, { stdio: ['ignore', 'ignore', 'inherit'] })
  return { requests: openSync(files[0], 'w'), answers: openSync(files[1], 'r') }
}

function sizeOf(bytes: Uint8Array): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt32LE(bytes.length)
  return size
}

function read(from: number, size: number): Buffer {
  const bytes = Buffer.alloc(size)
  for (let at = 0; at < size;) {
    const count = readSync(from, bytes, at, size - at, null)
    if (count === 0) throw new Error('the process that starts programs has ended')
    at += count
  }
  return bytes
}

function write(to: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(to, bytes, at)
}
