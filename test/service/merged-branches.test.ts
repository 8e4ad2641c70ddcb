// @module-tag long

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ChangesAnswer } from '../../src/wire/changes.ts'
import { RevisionEntry } from '../../src/wire/revision-bodies.ts'
import { documentWith } from '../support/documents/documents.ts'
import { commitFile, git, gitLine, identityOf, tryGit } from '../support/git/git.ts'
import { pageOf } from '../support/pages/page-forms.ts'
import { until } from '../support/programs/until.ts'
import { openService, type CalledService } from '../support/service/service.ts'
import { save } from '../support/service/saving.ts'

const FILE = 'config.xml'
const BASE = documentWith('checkout', 'billing')

/** The document with branches of the materials of its pipelines. */
function withBranches(branches: Readonly<Record<string, string>>): string {
  return Object.entries(branches).reduce((document, [pipeline, branch]) => {
    return document.replace(`/${pipeline}.git"`, `/${pipeline}.git" branch="${branch}"`)
  }, BASE)
}

/** A clone in which people commit, each a minute after the one before. */
class Clone {
  readonly path: string
  readonly #service: CalledService
  #minutes = 0

  constructor(service: CalledService) {
    this.#service = service
    this.path = join(service.folder, 'clone')
    git(service.folder, 'clone', '--quiet', service.repository, this.path)
  }

  #as(name: string): Record<string, string> {
    this.#minutes += 1
    const date = `@${Math.floor(Date.now() / 1000) + 60 * this.#minutes} +0000`
    return { ...identityOf(name), GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }
  }

  commit(name: string, document: string): string {
    writeFileSync(join(this.path, FILE), document)
    const message = `${name} commits`
    return commitFile(this.path, { name: FILE, message, env: this.#as(name) })
  }

  /** Merges a branch, with the given document if there is one. */
  merge(name: string, branch: string, document: string | null = null): string {
    const env = this.#as(name)
    const merging = ['merge', '--quiet', '--no-ff', '--no-commit', branch]
    const { status } = tryGit(this.path, merging, { env })
    if (status !== 0 && document === null) throw new Error('The branches do not merge')
    if (document !== null) writeFileSync(join(this.path, FILE), document)
    return commitFile(this.path, { name: FILE, message: `Merge ${branch}`, env })
  }

  switchTo(...args: readonly string[]): void {
    git(this.path, 'checkout', '--quiet', ...args)
  }

  /** Pushes, and waits until the service has followed. */
  async push(): Promise<void> {
    git(this.path, 'push', '--quiet', 'origin', 'HEAD:main')
    const head = gitLine(this.path, 'rev-parse', 'HEAD')
    await until(async () => (await commitsOf(this.#service, '')).includes(head))
  }
}

/** Two people who commit in turns, each on a branch, and a third one who merges. */
async function mergedBranches() {
  const service = await openService()
  await save(service, BASE)
  const clone = new Clone(service)
  clone.switchTo('-b', 'topic')
  const alice = [clone.commit('Alice', withBranches({ billing: 'rc-7' }))]
  clone.switchTo('main')
  const bob = [clone.commit('Bob', withBranches({ checkout: 'fix-1' }))]
  clone.switchTo('topic')
  alice.push(clone.commit('Alice', withBranches({ billing: 'rc-8' })))
  clone.switchTo('main')
  bob.push(clone.commit('Bob', withBranches({ checkout: 'fix-2' })))
  return { service, clone, alice: alice.toReversed(), bob: bob.toReversed() }
}

async function commitsOf(service: CalledService, query: string): Promise<string[]> {
  const response = await service.fetch(`/api/config/revisions${query}`)
  const entries = z.array(RevisionEntry).parse(await response.json())
  return entries.map(({ commitSHA }) => commitSHA)
}

/** The differences of two commits on one line. */
async function subjectOf(service: CalledService, from = '', to = ''): Promise<string> {
  const response = await service.fetch(`/api/config/changes/${from}/${to}`)
  return ChangesAnswer.parse(await response.json()).subject
}

function pickaxe({ repository }: CalledService, text: string): string[] {
  return git(repository, 'log', '-S', text, '--format=%H').split('\n').filter(Boolean)
}

function rowOf(history: string, number: number): string {
  return new RegExp(`<tr[^>]* id="r${number}".*?</tr>`, 's').exec(history)?.[0] ?? ''
}

/** The authors of the lines with these texts, according to a page. */
function authorsOf(html: string, ...texts: readonly string[]): (string | undefined)[] {
  const before = (text: string) => html.slice(0, html.indexOf(text))
  return texts.map((text) => [...before(text).matchAll(/>r\d+<\/a> (\w+)/g)].at(-1)?.[1])
}

describe('revisions of branches that were merged', () => {
  it('are found by text and by thing as git finds them', async () => {
    const { service, clone, alice, bob } = await mergedBranches()
    const merge = clone.merge('Max', 'topic')
    await clone.push()
    const [newest, ...others] = await commitsOf(service, '')

    expect(newest).toBe(merge)
    expect(others.slice(0, 4)).toEqual([bob[0], alice[0], bob[1], alice[1]])
    for (const text of ['rc-7', 'rc-8', 'fix-1', 'fix-2', 'branch=', 'billing.git']) {
      const found = await commitsOf(service, `?${new URLSearchParams({ text }).toString()}`)
      expect([text, found]).toEqual([text, pickaxe(service, text)])
    }
    expect((await commitsOf(service, '?entity=pipeline/billing')).slice(0, -1)).toEqual(alice)
    expect((await commitsOf(service, '?entity=pipeline/checkout')).slice(0, -1)).toEqual(bob)
  })

  it('say what each one changed, and lead to that', async () => {
    const { service, clone } = await mergedBranches()
    clone.merge('Max', 'topic')
    await clone.push()
    await commitsOf(service, '?entity=pipeline/billing')

    const html = await pageOf(service, '/config')

    expect(rowOf(html, 6)).toMatch(/Bob/)
    expect(rowOf(html, 6)).toMatch(/fix-1<.*fix-2</s)
    expect(rowOf(html, 6)).not.toContain('rc-')
    expect(rowOf(html, 6)).toContain('/config/compare/r4/r6')
    expect(rowOf(html, 5)).toMatch(/rc-7<.*rc-8</s)
    expect(rowOf(html, 5)).not.toContain('fix-1')
    expect(rowOf(html, 5)).toContain('/config/compare/r3/r5')
    expect(rowOf(html, 7)).toContain('Merge topic')
    expect(rowOf(html, 7)).not.toMatch(/rc-|fix-/)
  })

  it('are compared with each of their parents, and with what the merge itself did', async () => {
    const { service, clone } = await mergedBranches()
    clone.merge('Max', 'topic')
    const by = withBranches({ checkout: 'fix-3', billing: 'rc-9' })
    clone.commit('Max', by)
    await clone.push()
    await commitsOf(service, '?entity=pipeline/billing')

    const html = await pageOf(service, '/config/compare/r6/r7')

    expect(html).toContain('r7 merges r5 into r6. The merge itself changed nothing.')
    expect(html).toMatch(/compare\/r6\/r7" aria-current="true">Changes from r6</)
    expect(html).toMatch(/compare\/r5\/r7">Changes from r5</)
    expect(await pageOf(service, '/config/compare/r7/r8')).not.toContain('merges')
  })

  it('name what a merge changed that no parent has', async () => {
    const { service, clone } = await mergedBranches()
    clone.merge('Max', 'topic', withBranches({ checkout: 'fix-2', billing: 'rc-9' }))
    await clone.push()
    await commitsOf(service, '?entity=pipeline/billing')

    const html = await pageOf(service, '/config/compare/r5/r7')

    expect(html).toMatch(/The merge itself changed billing material [^<]*rc-9/)
  })

  it('have written the lines that git blame names', async () => {
    const { service, clone } = await mergedBranches()
    clone.merge('Max', 'topic', withBranches({ checkout: 'fix-2', billing: 'rc-8' }))
    await clone.push()

    const html = await pageOf(service, '/config/r7?blame=1')

    expect(authorsOf(html, 'fix-2', 'rc-8', 'schemaVersion')).toEqual(['Bob', 'Alice', 'admin'])
  })

  it('are undone alone', async () => {
    const { service, clone } = await mergedBranches()
    clone.merge('Max', 'topic')
    await clone.push()
    await commitsOf(service, '?entity=pipeline/billing')

    const html = await pageOf(service, '/config/r5/undo')

    expect(html).toContain('rc-8')
    expect(html).toContain('rc-7')
    expect(html).not.toMatch(/<del>fix-|<ins>fix-/)
  })

  it('show a thing beside what it was on its own branch', async () => {
    const { service, clone } = await mergedBranches()
    clone.merge('Max', 'topic')
    await clone.push()

    const html = await pageOf(service, '/config/entity/pipeline/billing')

    expect(html).toContain('compare/r3/r5')
    expect(html).not.toContain('fix-2')
  })

  it('leave nothing to a merge of a rename and of something in what was renamed', async () => {
    const { service, clone, alice, bob } = await mergedBranches()
    const renamed = withBranches({ checkout: 'fix-2' }).replace('"billing"', '"invoices"')
    const renaming = clone.commit('Bob', renamed)
    const merge = clone.merge('Max', 'topic')
    await clone.push()

    const [newest, ...found] = await commitsOf(service, '?entity=pipeline/invoices')

    expect(newest).toBe(renaming)
    expect(found.slice(0, -1)).toEqual(alice)
    expect(await commitsOf(service, '')).toEqual(expect.arrayContaining([merge, ...bob]))
    expect(rowOf(await pageOf(service, '/config'), 8)).not.toContain('rc-')
  })

  it('have renamed what differs from any revision, before or after the merge', async () => {
    const service = await openService()
    await save(service, BASE)
    const clone = new Clone(service)
    const base = gitLine(clone.path, 'rev-parse', 'HEAD')
    clone.switchTo('-b', 'topic')
    const renamed = BASE.replace('"billing"', '"invoices"')
    clone.commit('Alice', renamed)
    const tasks = Array.from({ length: 12 }, (_, n) => `<exec command="step-${n}" />`).join('\n')
    const remade = renamed
      .replace('https://example.org/billing.git', 'https://example.com/elsewhere.git')
      .replace(/(elsewhere.*?)<exec command="make" \/>/s, `$1${tasks}`)
    const side = clone.commit('Alice', remade)
    clone.switchTo('main')
    const main = clone.commit('Bob', withBranches({ checkout: 'fix-1' }))
    const merge = clone.merge('Max', 'topic')
    await clone.push()
    await commitsOf(service, '?entity=pipeline/invoices')

    const onwards = 'Rename pipeline billing -> invoices'
    const back = 'Rename pipeline invoices -> billing'
    for (const before of [base, main]) {
      expect(await subjectOf(service, before, merge)).toContain(onwards)
      expect(await subjectOf(service, merge, before)).toContain(back)
    }
    // Neither of them came upon the other.
    expect(await subjectOf(service, main, side)).toContain(onwards)
    expect(await subjectOf(service, side, main)).toContain(back)
    const page = await pageOf(service, `/config/compare/${main}/${merge}`)
    expect(page).toMatch(/<span class="badge renamed">renamed<\/span>.*billing.*invoices/s)
    expect(page).not.toContain('<span class="badge removed">removed</span> pipeline')
  })

  it('differ from one that somebody names in all that is different', async () => {
    const { service, clone, alice, bob } = await mergedBranches()
    const merge = clone.merge('Max', 'topic')
    await clone.push()
    await commitsOf(service, '?entity=pipeline/billing')
    const changesOf = (from?: string, to?: string) => subjectOf(service, from, to)

    const rows = rowOf(await pageOf(service, '/config'), 7)
    const compared = await pageOf(service, '/config/compare/r6/r7')
    const neighbours = await pageOf(service, '/config/compare/r5/r6')

    const branch = 'material git https://example.org/'
    expect(await changesOf(bob[0], merge)).toBe(
      `billing: ${branch}billing.git: branch unset -> rc-8`,
    )
    expect(await changesOf(alice[0], merge)).toBe(
      `checkout: ${branch}checkout.git: branch unset -> fix-2`,
    )
    expect(await changesOf(merge, bob[0])).toBe(
      `billing: ${branch}billing.git: branch rc-8 -> unset`,
    )
    expect(compared).toMatch(/<h2>Changes<.*billing.*rc-8/s)
    expect(neighbours).toMatch(/<h2>Changes<.*billing.*rc-8.*checkout.*fix-2/s)
    expect(rows).not.toMatch(/rc-|fix-/)
  })

  it('leave to the merge what differs from all of them', async () => {
    const { service, clone, alice, bob } = await mergedBranches()
    const both = withBranches({ checkout: 'fix-2', billing: 'rc-8' })
    const merge = clone.merge('Max', 'topic', both.replace('branch="rc-8"', 'branch="rc-9"'))
    await clone.push()

    expect((await commitsOf(service, '?entity=pipeline/billing')).slice(0, -1)).toEqual([
      merge,
      ...alice,
    ])
    expect((await commitsOf(service, '?entity=pipeline/checkout')).slice(0, -1)).toEqual(bob)
    const html = await pageOf(service, '/config')
    expect(rowOf(html, 7)).toContain('rc-9')
    expect(rowOf(html, 7)).not.toContain('fix-2')
  })
})
