// @module-tag long
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { documentWith } from '../../support/documents/documents.ts'
import { git } from '../../support/git/git.ts'
import { Clone, repositoryUrl } from '../../support/git/git-client.ts'
import { serviceAndClone } from '../../support/history/push-scene.ts'
import { securedDocument } from '../../support/service/secured-document.ts'
import { loginOf, secure } from '../../support/service/secured-service.ts'
import { startService, type TestService } from '../../support/service/service.ts'

const Proposal = z.object({
  number: z.int(),
  title: z.string(),
  version: z.int(),
  state: z.string(),
  changes: z.array(z.unknown()),
})

async function proposalOf(service: TestService, number: number) {
  const answer = await service.fetch(`/api/proposals/${number}`)
  return Proposal.parse(JSON.parse(await answer.text()))
}

describe('a push to refs/for/main', () => {
  it('becomes a proposal, which the next pushes update, and the terminal says so', async () => {
    const { service, clone } = await serviceAndClone('--public-url', 'https://cairn.example.org')
    const before = git(service.repository, 'rev-parse', 'main')
    await clone.commit(documentWith('alpha', 'beta'))
    const first = await clone.push('origin', 'HEAD:refs/for/main')
    await clone.commit(documentWith('alpha', 'beta', 'gamma'))
    const second = await clone.push('origin', 'HEAD:refs/for/main')

    expect(first.stderr).toContain(
      'cairn: Proposal 1, version 1: https://cairn.example.org/proposals/1',
    )
    expect(first.stderr).toContain('cairn:   it starts')
    expect(first.stderr).toContain('cairn:   nothing is missing: it can be merged')
    expect(second.stderr).toContain('cairn: Proposal 1, version 2: ')
    expect([first.code, second.code]).toEqual([0, 0])
    expect(git(service.repository, 'rev-parse', 'main')).toBe(before)
    expect(await proposalOf(service, 1)).toMatchObject({ version: 2, state: 'open' })

    const merged = await service.fetch('/api/proposals/1/merge', { method: 'POST' })

    expect(merged.status).toBe(200)
    expect(git(service.repository, 'show', 'main:config.xml')).toBe(
      documentWith('alpha', 'beta', 'gamma'),
    )
    expect(git(service.repository, 'log', '-1', '--format=%an', 'main').trim()).toBe('admin')
  })

  it('is of the configuration alone, and says what it leaves out', async () => {
    const { service, clone } = await serviceAndClone()
    writeFileSync(join(clone.folder, 'NOTES'), 'Monday\n')
    await clone.git('add', 'NOTES')
    await clone.commit(documentWith('alpha', 'beta'))
    const pushed = await clone.push('origin', 'HEAD:refs/for/main')
    await service.fetch('/api/proposals/1/merge', { method: 'POST' })

    expect(pushed.stderr).toContain(
      'cairn:   left out: "NOTES", because a proposal has the configuration alone',
    )
    expect(git(service.repository, 'ls-tree', '--name-only', 'main')).toBe('config.xml\n')
  })

  it('is not made beside the branch by a push that is to take all refs or none', async () => {
    const { service, clone } = await serviceAndClone()
    const before = git(service.repository, 'rev-parse', 'main')
    await clone.commit(documentWith('alpha', 'beta'))
    const both = ['HEAD:main', 'HEAD:refs/for/main']

    const { code, stderr } = await clone.push('--atomic', 'origin', ...both)

    expect(code).toBe(1)
    expect(stderr.match(/several refs cannot be pushed with --atomic/g)).toHaveLength(2)
    expect(git(service.repository, 'rev-parse', 'main')).toBe(before)
    expect(await (await service.fetch('/api/proposals')).json()).toEqual([])
    expect((await clone.push('--atomic', 'origin', 'HEAD:main')).code).toBe(0)
  })

  it('is reviewed by the service alone: a push into its folder adds no approval', async () => {
    const { service, clone } = await serviceAndClone()
    await clone.commit(documentWith('alpha', 'beta'))
    await clone.push('origin', 'HEAD:refs/for/main')
    const meta = 'refs/proposals/1/meta'
    const events = git(service.repository, 'rev-parse', meta)
    await clone.git('fetch', '--quiet', 'origin', `${meta}:forged`)
    await clone.git('checkout', '--quiet', 'forged')
    await clone.git('commit', '--quiet', '--allow-empty', '-m', 'Proposal 1: approve')

    const { code, stderr } = await clone.push(service.repository, `HEAD:${meta}`)

    expect(code).toBe(1)
    expect(stderr).toContain('deny updating a hidden ref')
    expect(git(service.repository, 'rev-parse', meta)).toBe(events)
  })

  it('is refused like a push to the branch, and other refs still are', async () => {
    const { service, clone } = await serviceAndClone()
    await clone.commit(documentWith('alpha').replace('group=', 'grup='))

    const invalid = await clone.push('origin', 'HEAD:refs/for/main')
    const elsewhere = await clone.push('origin', 'HEAD:refs/for/other')
    const forged = await clone.push('origin', 'HEAD:refs/proposals/1/head')

    expect(invalid.stderr).toMatch(/config\.xml:3:14: .*grup/)
    expect(elsewhere.stderr).toContain('Only refs/heads/main can be pushed here')
    expect([invalid.code, elsewhere.code, forged.code]).toEqual([1, 1, 1])
    expect(git(service.repository, 'for-each-ref', 'refs/proposals', 'refs/for')).toBe('')
  })

  it('tells those who may not read the repository of the branch alone', async () => {
    const service = await startService()
    await secure(service)
    git(service.repository, 'tag', 'v-of-others')
    git(service.repository, 'branch', 'work-of-others')
    const refsFor = async (as: 'root' | 'owner' | 'viewer') => {
      const path = '/git/config.git/info/refs?service=git-receive-pack'
      const text = await (await service.fetch(path, { as: loginOf(as) })).text()
      return text.match(/refs\/[\w/-]+/g)
    }
    const all = ['refs/heads/main', 'refs/heads/work-of-others', 'refs/tags/v-of-others']

    expect(await refsFor('viewer')).toEqual(['refs/heads/main'])
    expect(await refsFor('owner')).toEqual(['refs/heads/main'])
    expect(await refsFor('root')).toEqual(all)
  })

  it('is open to those who may view what it touches, and the branch is not', async () => {
    const service = await startService()
    const clone = await Clone.of(service.url)
    await secure(service)
    await clone.git('pull', '--quiet', repositoryUrl(service.url, 'root:p'), 'main')
    const before = git(service.repository, 'rev-parse', 'main')
    const pushAs = (as: 'viewer' | 'stranger', ref: string) =>
      clone.push(repositoryUrl(service.url, loginOf(as) ?? ''), `HEAD:${ref}`)
    await clone.commit(securedDocument().replace('/nowhere', '/somewhere'), 'Move hello')

    const proposed = await pushAs('viewer', 'refs/for/main')
    const saved = await pushAs('viewer', 'main')
    const hidden = await pushAs('stranger', 'refs/for/main')
    await clone.commit(securedDocument().replace('artifacts"', 'other"'), 'Move artifacts')
    const beyond = await pushAs('viewer', 'refs/for/main')

    expect([proposed.code, saved.code, hidden.code, beyond.code]).toEqual([0, 1, 128, 1])
    expect(proposed.stderr).toContain('cairn: Proposal 1, version 1: ')
    expect(saved.stderr).toContain('User viewer may not administer this server')
    expect(beyond.stderr).toContain('The change touches what you may not view')
    expect(git(service.repository, 'rev-parse', 'main')).toBe(before)
    const answer = await service.fetch('/api/proposals/1', { as: loginOf('owner') })
    expect(JSON.parse(await answer.text())).toMatchObject({
      title: 'Move hello',
      author: 'viewer',
      entities: ['pipeline/hello'],
    })
    const audit = await service.fetch('/api/audit?action=propose', { as: loginOf('root') })
    expect(JSON.parse(await audit.text()).entries).toMatchObject([
      { user: 'viewer', target: '/api/proposals/1', outcome: 'done' },
    ])
  })

  it('is a proposal of its own under the title of what somebody else has proposed', async () => {
    const service = await startService()
    const clone = await Clone.of(service.url)
    await secure(service)
    await clone.git('pull', '--quiet', repositoryUrl(service.url, 'root:p'), 'main')
    const propose = async (as: 'owner' | 'viewer', to: string) => {
      await clone.commit(securedDocument().replace('/nowhere', to), 'Move hello')
      const { code, stderr } = await clone.push(
        repositoryUrl(service.url, loginOf(as) ?? ''),
        'HEAD:refs/for/main',
      )
      await clone.git('reset', '--quiet', '--hard', 'HEAD~1')
      return [code, /Proposal \d+, version \d+/.exec(stderr)?.[0]]
    }
    const pushed = [
      await propose('owner', '/first'),
      await propose('viewer', '/second'),
      await propose('owner', '/third'),
    ]
    const authors = async (number: number) => {
      const answer = await service.fetch(`/api/proposals/${number}`, { as: loginOf('root') })
      const { author, contributors, version } = JSON.parse(await answer.text())
      return [author, contributors, version]
    }

    expect(pushed).toEqual([
      [0, 'Proposal 1, version 1'],
      [0, 'Proposal 2, version 1'],
      [0, 'Proposal 1, version 2'],
    ])
    expect([await authors(1), await authors(2)]).toEqual([
      ['owner', ['owner'], 2],
      ['viewer', ['viewer'], 1],
    ])
    await service.fetch('/api/proposals/1/close', { method: 'POST', as: loginOf('owner') })
    expect(await propose('owner', '/fourth')).toEqual([0, 'Proposal 3, version 1'])
  })

  it('takes a token that proposes, which saves nothing', async () => {
    const { service, clone } = await serviceAndClone()
    const made = await service.fetch('/api/tokens', {
      method: 'POST',
      body: JSON.stringify({ name: 'robot', scope: 'propose' }),
    })
    const { token } = JSON.parse(await made.text())
    const url = repositoryUrl(service.url, `admin:${token}`)
    await clone.commit(documentWith('alpha', 'beta'))

    const saved = await clone.push(url, 'HEAD:main')
    const proposed = await clone.push(url, 'HEAD:refs/for/main')

    expect([saved.code, proposed.code]).toEqual([1, 0])
    expect(saved.stderr).toContain('a push to the branch needs "admin"')
  })
})
