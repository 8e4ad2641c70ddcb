// @module-tag long
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sh } from '../../support/builds/an-assignment.ts'
import { gitLine } from '../../support/git/git.ts'
import { guardedFolder, guardedHg } from '../../support/git/guarded-origin.ts'
import { RunningAgent } from '../../support/agents/running-agent.ts'
import { gitOrigin, hgOrigin } from '../../support/builds/source-origins.ts'
import { tempFolder } from '../../support/disk/temp-folder.ts'

const WHO = { username: 'ana', password: 'hunter2@in/plain' }
const FORMS = [WHO.password, encodeURIComponent(WHO.password)]

/** An agent and a folder for repositories, until the test has finished. */
async function scene() {
  const temp = tempFolder()
  const agent = await RunningAgent.start()
  onTestFinished(() => agent[Symbol.asyncDispose]())
  return { temp, agent }
}

/** The files below a folder that have the password. */
function filesWithPassword(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile())
    .filter((file) => hasPassword(readFileSync(file, 'latin1')))
}

function hasPassword(text: string): boolean {
  return FORMS.some((form) => text.includes(form))
}

async function gitScene() {
  const { temp, agent } = await scene()
  const inner = gitOrigin(temp.file('inner'))
  const outer = gitOrigin(temp.file('outer'))
  const allow = ['-c', 'protocol.file.allow=always']
  gitLine(outer.url, ...allow, 'submodule', 'add', '-q', inner.url, 'in')
  gitLine(outer.url, 'config', '-f', '.gitmodules', 'submodule.in.url', '../../inner/.git')
  gitLine(outer.url, 'commit', '-q', '-a', '-m', 'in')
  for (const { url } of [inner, outer]) gitLine(url, 'update-server-info')
  const origin = await guardedFolder(temp.path, WHO)
  const revision = gitLine(outer.url, 'rev-parse', 'HEAD')
  const url = origin.urlOf('outer/.git')
  const at = (which: 0 | 1) => ({ ...outer.material(which), url })
  return { agent, origin, first: at(0), newest: { ...at(1), revision } }
}

async function hgScene() {
  const { temp, agent } = await scene()
  const { url, material } = hgOrigin(temp.file('repository'))
  const origin = await guardedHg(url, WHO)
  const at = (which: 0 | 1) => ({ ...material(which), url: origin.urlOf('') })
  return { agent, origin, first: at(0), newest: at(1) }
}

describe.each([
  { kind: 'git', newScene: gitScene, tags: [] },
  { kind: 'hg', newScene: hgScene, tags: ['hg'] },
])('the credentials of a $kind material', ({ newScene, tags }) => {
  it('are on no command line and in no file, fresh and updated', { tags }, async () => {
    const { agent, origin, first, newest } = await newScene()

    const fresh = await agent.run({ materials: [first] }, 25_000)
    const tasks = [sh('cat a b')]
    const updated = await agent.run({ materials: [newest], tasks }, 25_000)

    expect(fresh.result === 'Passed' ? '' : fresh.text).toBe('')
    expect(updated.result === 'Passed' ? '' : updated.text).toBe('')
    expect(updated.text).toContain('Updating')
    expect(updated.written).toContain('twob')
    expect(origin.commandLines.filter(hasPassword)).toEqual([])
    expect(origin.commandLines.some((line) => line.includes(origin.host))).toBe(true)
    expect(filesWithPassword(agent.workDir)).toEqual([])
    expect([fresh, updated].filter(({ text }) => hasPassword(text))).toEqual([])
  })
})

describe('credentials of git', () => {
  it('serve for the submodules of the same server', async () => {
    const { agent, newest } = await gitScene()

    const job = await agent.run({ materials: [newest], tasks: [sh('cat in/b')] }, 25_000)

    expect(job.result === 'Passed' ? '' : job.text).toBe('')
    expect(filesWithPassword(agent.workDir)).toEqual([])
  })

  it('are not read by a hook that an earlier job left', async () => {
    const { agent, first, newest } = await gitScene()
    const hook = `printf '#!/bin/sh\\nenv >seen' >.git/hooks/post-checkout`
    const tasks = [sh(`${hook}; chmod +x .git/hooks/post-checkout`)]
    await agent.run({ materials: [first], tasks }, 25_000)

    const job = await agent.run({ materials: [newest], tasks: [sh('[ ! -e seen ]')] }, 25_000)

    expect(job.result === 'Passed' ? '' : job.text).toBe('')
  })
})

describe('a checkout of an earlier version', () => {
  it('that has the credentials is removed at the start, and nothing else is', async () => {
    const temp = tempFolder()
    const workDir = temp.file('work')
    const older = {
      with: `git http://ana:${FORMS[1]}@h/x.git trunk`,
      without: 'git http://h/x trunk',
    }
    for (const [name, identity] of Object.entries(older)) {
      mkdirSync(join(workDir, 'pipelines', name, '.git'), { recursive: true })
      mkdirSync(join(workDir, 'checkouts', name), { recursive: true })
      writeFileSync(join(workDir, 'pipelines', name, '.git', 'config'), identity)
      writeFileSync(join(workDir, 'checkouts', name, 'note'), identity)
    }

    await using agent = await RunningAgent.start({ workDir })
    await agent.run({ pipelineName: 'other' })

    expect(filesWithPassword(workDir)).toEqual([])
    expect(readdirSync(join(workDir, 'pipelines')).toSorted()).toEqual(['other', 'without'])
  })
})
