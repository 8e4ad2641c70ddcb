import { join } from 'node:path'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { documentWith } from '../support/documents/documents.ts'
import { Clone, repositoryUrl } from '../support/git/git-client.ts'
import { git } from '../support/git/git.ts'
import { save } from '../support/service/saving.ts'
import { startService, type TestService } from '../support/service/service.ts'
import { command } from '../support/programs/command.ts'
import { run } from '../support/programs/start.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import { until } from '../support/programs/until.ts'

const List = z.array(z.object({ md5: z.string(), time: z.number() }))

async function revisionsOf(service: TestService) {
  return List.parse(await (await service.fetch('/api/config/revisions')).json())
}

async function untilMirrored(service: TestService, mirror: string): Promise<void> {
  const head = git(service.repository, 'rev-parse', 'HEAD')
  await until(async () => git(mirror, 'for-each-ref', '--format=%(objectname)') === head, 30_000)
}

/** The capabilities of git that the service offers a client. */
async function capabilitiesOf(service: TestService): Promise<string> {
  const headers = { 'git-protocol': 'version=2' }
  const path = '/git/config.git/info/refs?service=git-upload-pack'
  return (await service.fetch(path, { headers })).text()
}

it(
  'archives by its command; git clients, a mirror and the service go on, and all comes back',
  { timeout: 120_000 },
  async () => {
    const [folder, mirror] = [tempDir(), tempDir()]
    git(mirror, 'init', '--quiet', '--bare', '--initial-branch=main')
    const service = await startService(['--mirror', mirror], folder)
    for (const name of ['two', 'three', 'four']) await save(service, documentWith(name))
    const before = await revisionsOf(service)
    const earlier = await Clone.of(service.url)
    await untilMirrored(service, mirror)
    await service.close()
    const log = git(service.repository, 'log', '--format=fuller', '-p')
    const places = ['--config-repo', service.repository]
    const file = join(tempDir(), 'old.bundle')
    const date = new Date(before[1]?.time ?? 0).toISOString()

    const archived = await run(['archive', ...places, '--before', date, file])

    expect(archived).toMatchObject({ code: 0 })
    expect(archived.stdout).toMatch(
      /holds r1 to r2; every one was read back\nThe history begins with r3/,
    )
    expect((await run(['verify', ...places])).stdout).toMatch(
      /whole: 2 revisions in 2 commits\n2 older revisions are in an archive/,
    )
    expect(await command(['doctor', ...places])).toMatchObject({ code: 0 })

    const again = await startService(['--mirror', mirror], folder)
    expect(await revisionsOf(again)).toEqual(before.slice(0, 2))
    expect(await capabilitiesOf(again)).not.toContain('filter')
    const clone = await Clone.of(again.url)
    expect((await clone.git('log', '--format=%H')).trim().split('\n')).toHaveLength(2)
    await clone.commit(documentWith('five'))
    expect(await clone.push('--quiet')).toMatchObject({ code: 0 })
    await earlier.git('remote', 'set-url', 'origin', repositoryUrl(again.url))
    await earlier.git('pull', '--quiet', '--ff-only')
    await earlier.commit(documentWith('six'))
    expect(await earlier.push('--quiet')).toMatchObject({ code: 0 })
    expect((await earlier.git('log', '--format=%H')).trim().split('\n')).toHaveLength(6)
    await untilMirrored(again, mirror)
    expect(git(mirror, 'rev-list', '--count', 'main').trim()).toBe('6')
    await again.close()

    expect(await command(['archive', '--restore', ...places, file])).toMatchObject({ code: 0 })
    expect(git(service.repository, 'log', '--format=fuller', '-p', 'HEAD~2')).toBe(log)
    const whole = await startService([], folder)
    expect((await revisionsOf(whole)).slice(2)).toEqual(before)
    expect(await capabilitiesOf(whole)).toContain('filter')
  },
)
