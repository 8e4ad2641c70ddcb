import { appendFileSync, chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { verifyRepository } from '../../../src/history/upkeep/verify.ts'
import { gitBytes, identityOf } from '../../support/git/git.ts'
import { documentOf, HistoryFolder, save } from '../../support/history/history-folder.ts'

describe('verifying a repository', () => {
  let folder: HistoryFolder
  beforeEach(async () => {
    folder = new HistoryFolder()
    const history = await folder.open()
    await save(history, documentOf('two'))
    await save(history, documentOf('three'))
  })
  afterEach(() => folder[Symbol.asyncDispose]())

  it('finds nothing wrong with a sound one, while it is served', async () => {
    const progress: number[] = []

    const report = await verifyRepository(folder.options(), ({ done }) => progress.push(done))

    expect(report).toMatchObject({ commits: 3, revisions: 3, problems: [], notes: [] })
    expect(progress).toEqual([0, 1, 2, 3])
  })

  it('finds nothing wrong without a git program and without an index', async () => {
    await folder.close()
    folder.remove('.git/cairn')

    const report = await verifyRepository(folder.options({ programPath: null }))

    expect(report).toMatchObject({ revisions: 3, problems: [] })
  })

  it('reports a document that does not have its recorded digest', async () => {
    const message = folder.git('log', '-1', '--format=%B')
    folder.write(documentOf('other'))
    folder.git('add', 'config.xml')
    forge(message)

    const { problems } = await verifyRepository(folder.options())

    expect(problems).toEqual([expect.stringContaining('does not have the digest')])
  })

  it('notes an amended commit whose message speaks of other bytes', async () => {
    folder.write(documentOf('other'))
    folder.git('commit', '--quiet', '--all', '--amend', '--no-edit')

    const report = await verifyRepository(folder.options())

    expect(report.notes).toEqual([expect.stringContaining('records the digest')])
  })

  it('reports a damaged index', async () => {
    await folder.close()
    const file = folder.file('.git/cairn/revisions')
    const bytes = readFileSync(file)
    bytes[bytes.length - 20] = 0
    writeFileSync(file, bytes)

    const { problems } = await verifyRepository(folder.options())

    expect(problems).toEqual(['The index is damaged after 2 commits'])
  })

  it('reports an index of another history', async () => {
    await folder.close()
    folder.git('reset', '--quiet', '--hard', 'HEAD~1')

    const { problems } = await verifyRepository(folder.options())

    expect(problems).toEqual([expect.stringContaining('The index differs from the history')])
  })

  it('reports a damaged object', async () => {
    const blob = folder.git('rev-parse', 'HEAD~1:config.xml').trim()
    const file = folder.file(`.git/objects/${blob.slice(0, 2)}/${blob.slice(2)}`)
    chmodSync(file, 0o644)
    appendFileSync(file, 'garbage')

    const { problems } = await verifyRepository(folder.options())

    expect(problems.join('\n')).toContain(blob)
  })

  it('refuses a folder that is no repository', async () => {
    const options = folder.options({ repository: folder.file('none') })

    await expect(verifyRepository(options)).rejects.toMatchObject({ code: 'unavailable' })
  })

  /** A commit that looks as if this service had made it. */
  function forge(message: string): void {
    const [email, when] = ['cairn@localhost', '1700000000 +0000']
    const dates = { GIT_AUTHOR_DATE: when, GIT_COMMITTER_DATE: when }
    const emails = { GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_EMAIL: email }
    const env = { ...identityOf('Cairn'), ...emails, ...dates }
    gitBytes(folder.path, ['commit', '--quiet', '-F', '-'], { env, input: message })
  }
})
