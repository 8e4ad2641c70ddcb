import { execFileSync } from 'node:child_process'
import { closeSync, openSync, utimesSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { documentWith } from '../support/documents/documents.ts'
import { save } from '../support/service/saving.ts'
import { openService } from '../support/service/service.ts'

/** More than the pool of Node has. */
const THREADS = 32

/** Has every thread of the pool wait for a writer of a pipe, until the end of the test. */
function occupyThreads(folder: string): void {
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  const waiting = Array.from({ length: THREADS }, () => open(pipe, 'r'))
  onTestFinished(async () => {
    const writer = openSync(pipe, 'r+')
    for (const reader of await Promise.all(waiting)) await reader.close()
    closeSync(writer)
  })
}

describe('while every thread for the disk waits', () => {
  it.each([
    '/api/config/revisions?limit=10',
    '/api/config/revisions?limit=2',
    '/api/config/revisions/1',
    '/api/admin/config.xml',
    '/health/live',
  ])('%s is answered', async (path) => {
    const service = await openService()
    await save(service, documentWith('one'))
    // What changed just now is read again, as it may change without another time.
    utimesSync(join(service.repository, '.git/refs/tags'), 0, 0)
    await service.fetch('/api/config/revisions?limit=10')
    occupyThreads(service.folder)

    const answer = await service.fetch(path)

    expect(answer.status).toBe(200)
  })
})
