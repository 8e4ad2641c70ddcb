import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { CommitSha } from '../../../src/core/revision.ts'
import { RevisionIndex } from '../../../src/history/index/revision-index.ts'

/** The bytes of buffers in use, without those that are garbage. */
function bytesInBuffers(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().arrayBuffers
}

it('holds a short key for each revision, whatever else allocates memory between', async () => {
  const index = new RevisionIndex()
  const before = bytesInBuffers()

  for (let n = 0; n < 1_000; n += 1) {
    const commit = CommitSha.parse(n.toString(16).padStart(40, '0'))
    index.append([{ commit, isClosed: true, parents: null, digest: null, revision: null }])
    // As saves do: small buffers share memory with what is allocated beside them.
    Buffer.allocUnsafe(3_000)
  }

  // The engine counts what it has freed a moment later.
  await expect.poll(() => bytesInBuffers() - before).toBeLessThan(1_000_000)
  expect(index).toHaveLength(1_000)
})
