// Runs programs one after the other for a large process, which waits for each: starting one copies the tables of
// the memory of the process that starts it. Requests and answers come and go as `run-small.ts` writes and reads them.
import { spawnSync } from 'node:child_process'
import { openSync, readSync, writeSync } from 'node:fs'

const MAX_OUTPUT = 2 ** 30
const [requests, answers] = process.argv.slice(2)
const from = openSync(requests, 'r')
const to = openSync(answers, 'w')

for (;;) {
  const size = read(4)
  if (size === null) break
  const { program, args, cwd, env, inputSize } = JSON.parse(read(size.readUInt32LE()).toString())
  const input = read(inputSize)
  const options = { cwd, env, input, maxBuffer: MAX_OUTPUT }
  const { status, stdout, stderr, error } = spawnSync(program, args, options)
  const sizes = { stdoutSize: stdout?.length ?? 0, stderrSize: stderr?.length ?? 0 }
  const head = Buffer.from(JSON.stringify({ status, error: error?.message, ...sizes }))
  const headSize = Buffer.alloc(4)
  headSize.writeUInt32LE(head.length)
  for (const part of [headSize, head, stdout, stderr]) write(part ?? Buffer.alloc(0))
}

/** The next bytes; null when the process that asks has ended. */
function read(size) {
  const bytes = Buffer.alloc(size)
  for (let at = 0; at < size;) {
    const count = readSync(from, bytes, at, size - at, null)
    if (count === 0) return null
    at += count
  }
  return bytes
}

function write(bytes) {
  for (let at = 0; at < bytes.length;) at += writeSync(to, bytes, at)
}
