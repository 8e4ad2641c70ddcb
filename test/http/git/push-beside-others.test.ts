// @module-tag long

import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { documentWith } from '../../support/documents/documents.ts'
import { Clone } from '../../support/git/git-client.ts'
import { git } from '../../support/git/git.ts'
import { save } from '../../support/service/saving.ts'
import { until } from '../../support/programs/until.ts'
import { revisionsOf, liveFileOf, serviceAndClone } from '../../support/history/push-scene.ts'

describe('a push over HTTP beside others', () => {
  it('is one of two at once that succeeds; the other is told to fetch', async () => {
    const { service, clone } = await serviceAndClone()
    const rival = await Clone.of(service.url)
    await clone.commit(documentWith('mine'))
    await rival.commit(documentWith('theirs'))

    const outcomes = await Promise.all([clone.push(), rival.push()])

    expect(outcomes.map(({ code }) => code === 0)).toContain(true)
    expect(outcomes.map(({ code }) => code === 0)).toContain(false)
    expect(outcomes.map(({ stderr }) => stderr).join()).toMatch(/fetch first|only moves forward/)
    expect(await revisionsOf(service)).toHaveLength(3)
    expect(git(service.repository, 'status', '--porcelain')).toBe('')
  })

  it('goes well together with saves: nobody loses anything', async () => {
    const { service, clone } = await serviceAndClone()
    const pushes = new AbortController()
    const saver = async () => {
      const saved: string[] = []
      for (let n = 0; !pushes.signal.aborted; n += 1) {
        const response = await save(service, documentWith(`saved-${n}`))
        if (response.ok) saved.push(response.headers.get('x-service-config-md5') ?? '')
      }
      return saved
    }
    const pusher = async () => {
      const pushed: string[] = []
      for (let attempt = 0; pushed.length < 3 && attempt < 40; attempt += 1) {
        await clone.git('fetch', '--quiet')
        await clone.git('reset', '--quiet', '--hard', 'origin/main')
        const commit = await clone.commit(documentWith(`pushed-${attempt}`))
        if ((await clone.push()).code === 0) pushed.push(commit)
        else if (attempt > 2) pushes.abort()
      }
      pushes.abort()
      return pushed
    }

    const [saved, pushed] = await Promise.all([saver(), pusher()])

    const revisions = await revisionsOf(service)
    const digests = new Set(revisions.map(({ md5 }) => md5))
    const commits = new Set(revisions.map(({ commitSHA }) => commitSHA))
    expect(saved.length).toBeGreaterThan(0)
    expect(saved.filter((digest) => !digests.has(digest))).toEqual([])
    expect(pushed).toHaveLength(3)
    expect(pushed.filter((commit) => !commits.has(commit))).toEqual([])
    expect(git(service.repository, 'status', '--porcelain')).toBe('')
    expect(git(service.repository, 'fsck', '--strict', '--no-dangling')).toBe('')
  })

  it('sets an edit on disk that is not valid aside, as a save does', async () => {
    const { service, clone } = await serviceAndClone('--poll-interval', '100ms')
    writeFileSync(join(service.repository, 'config.xml'), '<cruise')
    await until(async () => (await (await service.fetch('/health')).text()).includes('degraded'))
    await clone.commit(documentWith('pushed'))

    const { code } = await clone.push()

    const aside = readdirSync(service.repository).filter((name) => name.includes('.invalid-'))
    expect(code).toBe(0)
    expect(liveFileOf(service.repository)).toBe(documentWith('pushed'))
    expect(aside).toHaveLength(1)
  })

  it('makes an edit on disk that is valid a revision first, and is told to fetch', async () => {
    const { service, clone } = await serviceAndClone('--poll-interval', '24h')
    writeFileSync(join(service.repository, 'config.xml'), documentWith('edited'))
    await clone.commit(documentWith('pushed'))

    const { stderr } = await clone.push()

    expect(stderr).toContain('the configuration has changed meanwhile: fetch first')
    expect((await revisionsOf(service))[0]).toMatchObject({ username: 'Filesystem' })
  })
})
