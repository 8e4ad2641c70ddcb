// @module-tag long

import { chmodSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { documentWith } from '../../support/documents/documents.ts'
import type { Clone } from '../../support/git/git-client.ts'
import { git } from '../../support/git/git.ts'
import { liveFileOf, serviceAndClone } from '../../support/history/push-scene.ts'
import { save } from '../../support/service/saving.ts'

const ALPHA = documentWith('alpha')

/** Pushes the document with these permission bits. */
async function pushWith(clone: Clone, bits: number, document = ALPHA): Promise<void> {
  chmodSync(join(clone.folder, 'config.xml'), bits)
  await clone.commit(document)
  const { code, stderr } = await clone.push()
  if (code !== 0) throw new Error(stderr)
}

function bitsOf(repository: string): number {
  return statSync(join(repository, 'config.xml')).mode & 0o777
}

function statusOf(repository: string): string {
  return git(repository, 'status', '--porcelain')
}

describe('a push of the executable bit of the document', () => {
  it.each([
    ['alone', ALPHA],
    ['together with a change', documentWith('beta')],
  ])('%s leaves git nothing to report, and neither does taking it back', async (_, document) => {
    const { service, clone } = await serviceAndClone()
    const { repository } = service
    chmodSync(join(repository, 'config.xml'), 0o640)

    await pushWith(clone, 0o755, document)
    expect(statusOf(repository)).toBe('')
    expect(bitsOf(repository)).toBe(0o750)
    expect(liveFileOf(repository)).toBe(document)

    await pushWith(clone, 0o644)
    expect(statusOf(repository)).toBe('')
    expect(bitsOf(repository)).toBe(0o640)
  })

  it('is kept by saves', async () => {
    const { service, clone } = await serviceAndClone()
    await pushWith(clone, 0o755)

    await save(service, documentWith('saved'))

    expect(statusOf(service.repository)).toBe('')
    expect(git(service.repository, 'ls-tree', 'HEAD', 'config.xml')).toMatch(/^100755 /)
  })

  it('leaves a bit that an operator changed, and git says so', async () => {
    const { service, clone } = await serviceAndClone()
    chmodSync(join(service.repository, 'config.xml'), 0o755)

    await pushWith(clone, 0o644, documentWith('beta'))

    expect(statusOf(service.repository)).toBe(' M config.xml\n')
    expect(bitsOf(service.repository)).toBe(0o755)
  })
})
