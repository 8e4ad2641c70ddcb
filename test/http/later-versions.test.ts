import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { tempDir } from '../support/disk/temp-folder.ts'
import { LATER_DOCUMENTS } from '../support/documents/later-versions.ts'
import { commitFile, git } from '../support/git/git.ts'
import { save } from '../support/service/saving.ts'
import { openService } from '../support/service/service.ts'

const Revisions = z.array(z.object({ md5: z.string() }))

function versionOf(document: string): string | undefined {
  return /schemaVersion="(\d+)"/.exec(document)?.[1]
}

describe.each(LATER_DOCUMENTS.map((document) => ({ version: versionOf(document), document })))(
  'a document of version $version with what only some versions have',
  ({ document }) => {
    it('is saved', async () => {
      const service = await openService()

      expect((await save(service, document)).status).toBe(200)
    })

    it('is served as the newest of a repository, and its history is complete', async () => {
      const folder = tempDir()
      const repository = join(folder, 'config-repo')
      mkdirSync(repository)
      git(repository, 'init', '--quiet', '--initial-branch=main')
      const others = LATER_DOCUMENTS.filter((each) => each !== document)
      for (const text of [...others, document]) {
        writeFileSync(join(repository, 'config.xml'), text)
        commitFile(repository, { name: 'config.xml', message: 'A change' })
      }

      const service = await openService([], folder)

      expect(await (await service.fetch('/api/admin/config.xml')).text()).toBe(document)
      const revisions = await (await service.fetch('/api/config/revisions')).json()
      expect(Revisions.parse(revisions)).toHaveLength(LATER_DOCUMENTS.length)
    })
  },
)
