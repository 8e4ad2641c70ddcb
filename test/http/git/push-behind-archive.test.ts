// @module-tag long

import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { inspectAsIs } from '../../../src/configuration/current/validate-only.ts'
import { EDITION } from '../../../src/configuration/config-services.ts'
import { makeArchive } from '../../../src/operations/archive/make-archive.ts'
import { VERSION } from '../../../src/server/version.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'
import { documentWith } from '../../support/documents/documents.ts'
import { liveFileOf, revisionsOf, serviceAndClone } from '../../support/history/push-scene.ts'
import { repositoryUrl } from '../../support/git/git-client.ts'
import { save } from '../../support/service/saving.ts'
import { startService, type TestService } from '../../support/service/service.ts'

const List = z.array(z.object({ time: z.number() }))
const TOPIC = documentWith('topic')
const ADVICE =
  /remote: cairn: This builds on revisions that are in an archive: rebase it onto the served branch/

/** Stops a service, archives all but its newest two revisions, and starts it again. */
async function archivedAgain(service: TestService): Promise<TestService> {
  const [, second] = List.parse(await revisionsOf(service))
  await service.close()
  const tools = { inspect: inspectAsIs, serverEdition: EDITION, serverVersion: VERSION }
  const { repository, folder } = service
  const places = { repository, fileName: 'config.xml', programPath: process.env['PATH'] }
  const wanted = { file: join(tempDir(), 'old.bundle'), before: second?.time ?? 0 }
  await makeArchive(wanted, { ...places, ...tools, clock: Date.now })
  return startService([], folder)
}

/** A clone with a branch `topic`, which begins before what is archived then. */
async function withOldTopic() {
  const { service, clone } = await serviceAndClone()
  await clone.git('checkout', '--quiet', '-b', 'topic')
  await clone.commit(TOPIC)
  for (const name of ['two', 'three', 'four']) await save(service, documentWith(name))
  await clone.git('fetch', '--quiet')
  const again = await archivedAgain(service)
  await clone.git('remote', 'set-url', 'origin', repositoryUrl(again.url))
  return { service: again, clone }
}

describe('a branch that begins before what was archived', () => {
  it('is refused by itself and in a merge, and the terminal says what to do', async () => {
    const { service, clone } = await withOldTopic()

    const alone = await clone.push('--force', 'origin', 'topic:main')
    await clone.git('checkout', '--quiet', '-b', 'merged', 'origin/main')
    await clone.git('merge', '--quiet', '--strategy', 'ours', '--message', 'Merge', 'topic')
    const merged = await clone.push('origin', 'merged:main')

    for (const { code, stderr } of [alone, merged]) {
      expect(code).toBe(1)
      expect(stderr).toMatch(ADVICE)
      expect(stderr).toContain('(unpacker error)')
    }
    expect(liveFileOf(service.repository)).toBe(documentWith('four'))
  })

  it('is taken once it is rebased, and other refusals do not speak of archives', async () => {
    const { service, clone } = await withOldTopic()
    await clone.git('checkout', '--quiet', '-b', 'broken', 'origin/main')
    await clone.commit('<cruise')

    const broken = await clone.push('origin', 'broken:main')
    await clone.git('checkout', '--quiet', 'topic')
    await clone.git('rebase', '--quiet', '--strategy-option', 'theirs', 'origin/main')
    const rebased = await clone.push('origin', 'topic:main')

    expect([broken.code, rebased.code]).toEqual([1, 0])
    for (const { stderr } of [broken, rebased]) expect(stderr).not.toContain('archive')
    expect(liveFileOf(service.repository)).toBe(TOPIC)
  })
})
