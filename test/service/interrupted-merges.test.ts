import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { git } from '../support/git/git.ts'
import { until } from '../support/programs/until.ts'
import {
  type Answered,
  ask,
  documentWithHelpers,
  labelled,
  proposeLabel,
  viewedByHelpers,
} from '../support/proposals/proposing.ts'
import { save } from '../support/service/saving.ts'
import { securedDocument } from '../support/service/secured-document.ts'
import { loginOf, secure } from '../support/service/secured-service.ts'
import { type CalledService, openService } from '../support/service/service.ts'

const META = 'refs/proposals/1/meta'

/** A service with a proposal that its group's administrator has approved. */
async function approvedProposal(): Promise<CalledService> {
  const service = await openService()
  await secure(service)
  await proposeLabel(service, 'viewer', 'mine')
  await ask(service, 'owner', '/1/approve', {})
  return service
}

/** Ends a service and begins again in its folder, after a change of the repository. */
async function again(service: CalledService, change: (repository: string) => void) {
  await service.close()
  change(service.repository)
  return openService([], service.folder)
}

function merges({ repository }: CalledService): number {
  const trailers = git(repository, 'log', '--format=%(trailers:key=Proposal,valueonly)', 'main')
  return trailers.split('\n').filter((line) => line.trim() === '1').length
}

/**
 * Merges while git changes the branch, which the service sees once the merge has begun: it waits for the end
 * of a merge of git.
 */
async function mergeBeside(
  service: CalledService,
  { begun, atBegin = () => undefined }: { readonly begun: number; readonly atBegin?: () => void },
  change: () => void,
): Promise<Answered> {
  const { repository } = service
  const mark = join(repository, '.git', 'MERGE_HEAD')
  const subjects = () => git(repository, 'log', '--format=%s', META).split('\n')
  writeFileSync(mark, git(repository, 'rev-parse', 'main'))
  change()
  const asked = ask(service, 'viewer', '/1/merge', {})
  await until(() => subjects().filter((each) => each === 'Proposal 1: merging').length === begun)
  atBegin()
  rmSync(mark)
  return asked
}

describe('a merge beside a commit of git', () => {
  it('is refused where it would let in more people than was approved', async () => {
    const service = await openService()
    await secure(service)
    await save(service, documentWithHelpers('operator'), loginOf('root') ?? '')
    await ask(service, 'viewer', '', { title: 'Help', entities: [viewedByHelpers()] })
    await ask(service, 'owner', '/1/approve', {})
    const { repository } = service

    const { status } = await mergeBeside(service, { begun: 1 }, () => {
      writeFileSync(join(repository, 'config.xml'), documentWithHelpers('operator', 'stranger'))
      git(repository, 'add', 'config.xml')
      const tree = git(repository, 'write-tree').trim()
      const commit = git(repository, 'commit-tree', tree, '-p', 'main', '-m', 'Let one in')
      git(repository, 'update-ref', 'refs/heads/main', commit.trim())
    })

    expect(status).toBe(409)
    expect((await ask(service, 'owner', '/1')).body).toMatchObject({ state: 'open' })
    expect(merges(service)).toBe(0)
    expect(git(repository, 'log', '-1', '--format=%s', 'main').trim()).toBe('Let one in')
  })
})

describe('a merge that cannot be made for a time', () => {
  it('is not refused: it may have been made', { tags: ['long'] }, async () => {
    const service = await approvedProposal()
    const mark = join(service.repository, '.git', 'MERGE_HEAD')
    writeFileSync(mark, git(service.repository, 'rev-parse', 'main'))

    const { status } = await ask(service, 'viewer', '/1/merge', {})
    const { body } = await ask(service, 'viewer', '/1')
    rmSync(mark)

    expect(status).toBe(503)
    expect(body).toMatchObject({ state: 'open', held: null })
    expect((await ask(service, 'viewer', '/1/merge', {})).status).toBe(200)
  })
})

describe('a merge that was interrupted', () => {
  it('after its commit is said to be made', { tags: ['long'] }, async () => {
    const service = await approvedProposal()
    const lock = join(service.repository, '.git', `${META}.lock`)
    const atBegin = () => writeFileSync(lock, '')

    const asked = mergeBeside(service, { begun: 1, atBegin }, () => undefined)
    const { status, body } = await asked
    const commit = git(service.repository, 'rev-parse', 'main').trim()
    rmSync(lock)

    expect(status).toBe(503)
    expect(body).toMatchObject({ message: expect.stringContaining(`merged by commit ${commit}`) })
    expect(merges(service)).toBe(1)
    expect((await ask(service, 'viewer', '/1')).body).toMatchObject({
      state: 'merged',
      mergedCommit: commit,
    })
  })

  it('after its commit is done, and is not done again when others have taken it back', async () => {
    const service = await approvedProposal()
    await ask(service, 'viewer', '/1/merge', {})
    await save(service, securedDocument(), loginOf('root') ?? '')

    const restarted = await again(service, (repository) =>
      git(repository, 'update-ref', META, `${META}~1`),
    )
    const { body } = await ask(restarted, 'owner', '/1')
    const { status } = await ask(restarted, 'owner', '/1/merge', {})

    expect(body).toMatchObject({ state: 'merged', version: 1 })
    expect(body.mergedCommit).toBe(git(service.repository, 'rev-parse', 'main~1').trim())
    expect(status).toBe(409)
    expect(merges(restarted)).toBe(1)
    expect(git(service.repository, 'log', '--format=%s', META).split('\n')[0]).toBe(
      'Proposal 1: merged',
    )
  })

  it('before its commit has not happened, keeps its approvals, and happens once', async () => {
    const service = await approvedProposal()
    await ask(service, 'viewer', '/1/merge', {})

    const restarted = await again(service, (repository) => {
      git(repository, 'update-ref', META, `${META}~1`)
      git(repository, 'reset', '--quiet', '--hard', 'main~1')
    })
    const open = await ask(restarted, 'viewer', '/1')
    const merged = await ask(restarted, 'viewer', '/1/merge', {})

    expect(open.body).toMatchObject({ state: 'open', approvals: [{ by: 'owner', holds: true }] })
    expect(merged.body).toMatchObject({ state: 'merged' })
    expect(merges(restarted)).toBe(1)
  })

  it('after its commit is done, also when that is found while it is asked for again', async () => {
    const service = await approvedProposal()
    await ask(service, 'viewer', '/1/merge', {})
    let late = ''
    const restarted = await again(service, (repository) => {
      const [before, merged] = ['main~1', 'main'].map((name) => git(repository, 'rev-parse', name))
      const undone = ['commit-tree', 'main~1^{tree}', '-p', merged?.trim() ?? '', '-m', 'Undo it']
      late = git(repository, ...undone).trim()
      git(repository, 'update-ref', META, `${META}~1`)
      git(repository, 'reset', '--quiet', '--hard', before?.trim() ?? '')
    })
    const { repository } = restarted

    const { status } = await mergeBeside(restarted, { begun: 2 }, () =>
      git(repository, 'update-ref', 'refs/heads/main', late),
    )

    expect(status).toBe(409)
    expect((await ask(restarted, 'viewer', '/1')).body).toMatchObject({ state: 'merged' })
    expect((await ask(restarted, 'viewer', '/1/merge', {})).status).toBe(409)
    expect(merges(restarted)).toBe(1)
    expect(git(repository, 'rev-parse', 'main').trim()).toBe(late)
  })

  it('and updated since is not merged with what nobody approved', async () => {
    const service = await approvedProposal()
    await ask(service, 'viewer', '/1/merge', {})
    const restarted = await again(service, (repository) => {
      git(repository, 'update-ref', META, `${META}~1`)
      git(repository, 'reset', '--quiet', '--hard', 'main~1')
    })
    const entities = [{ kind: 'pipeline', name: 'hello', xml: labelled('other') }]
    await ask(restarted, 'viewer', '/1/update', { entities })

    expect((await ask(restarted, 'viewer', '/1/merge', {})).status).toBe(403)
    expect(merges(restarted)).toBe(0)
  })
})

describe('an act about a proposal that cannot be read after it', () => {
  it.each([
    ['viewer', '/1/comment', { text: 'Why?' }, 'The comment on the proposal 1 is made', 'comment'],
    [
      'owner',
      '/1/approve',
      { takeBack: true },
      'The review of the proposal 1 is withdrawn',
      'take-back',
    ],
    ['viewer', '/1/close', { text: 'No' }, 'The proposal 1 is closed', 'close'],
  ] as const)('is said to be done: %s, %s', async (role, path, body, done, event) => {
    const service = await approvedProposal()
    const { repository } = service
    const document = git(repository, 'rev-parse', 'refs/proposals/1/1:config.xml').trim()
    const object = join('.git/objects', document.slice(0, 2), document.slice(2))
    const restarted = await again(service, () => rmSync(join(repository, object)))

    const answer = await ask(restarted, role, path, body)

    expect(answer.status).toBe(503)
    expect(answer.body.message).toMatch(new RegExp(`^${done}, which cannot be shown yet: `))
    expect(git(repository, 'log', '-1', '--format=%s', META).trim()).toBe(`Proposal 1: ${event}`)
  })
})
