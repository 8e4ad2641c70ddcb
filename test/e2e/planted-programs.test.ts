// @module-tag long
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { backUp, checkCodes, placesIn, restoreNew } from '../support/service/backups.ts'
import { documentWith } from '../support/documents/documents.ts'
import { Clone } from '../support/git/git-client.ts'
import { git, gitLine } from '../support/git/git.ts'
import { plantPrograms, ranIn } from '../support/git/planted-programs.ts'
import { saved } from '../support/service/saved-digest.ts'
import { startService } from '../support/service/service.ts'
import { run } from '../support/programs/start.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import { until } from '../support/programs/until.ts'

describe('programs that a repository names', { timeout: 60_000 }, () => {
  it('are run by no command', async () => {
    const service = await startService()
    const { folder, repository } = service
    const marker = join(tempDir(), 'ran')
    await service.close()
    plantPrograms(join(repository, '.git'), marker)
    const file = join(tempDir(), 'backup.tar.gz')

    expect(await checkCodes(folder)).toEqual([0, 0])
    const doctor = await run(['doctor', ...placesIn(folder)])
    const made = await backUp(folder, file)
    const restored = await restoreNew(file)
    const ran = ranIn(marker)
    git(repository, 'status')

    expect([doctor.code, made.code, restored.code]).toEqual([0, 0, 0])
    expect(ran).toEqual([])
    // They are programs that git does run.
    expect(ranIn(marker)).toContain('fsmonitor')
  })

  it('are not run by a service that starts, saves, follows, is pushed to and mirrors', async () => {
    const service = await startService()
    const { folder, repository } = service
    const mirror = tempDir()
    git(mirror, 'init', '--quiet', '--bare', '--initial-branch=main')
    const marker = join(tempDir(), 'ran')
    await service.close()
    plantPrograms(join(repository, '.git'), marker)

    const again = await startService(['--mirror', mirror], folder)
    await saved(again, 'one')
    const clone = await Clone.of(again.url)
    await clone.commit(documentWith('two'))
    const { code } = await clone.push()
    await until(
      () => gitLine(mirror, 'rev-parse', 'main') === gitLine(repository, 'rev-parse', 'HEAD'),
    )
    await again.close()

    expect(code).toBe(0)
    expect(ranIn(marker)).toEqual([])
  })
})
