// @module-tag long
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import type { AssignedSourceMaterial } from '../../../src/wire/agent/material.ts'
import { AgentProcess } from '../../support/agents/agent-process.ts'
import { AgentProtocolServer, type SeenJob } from '../../support/agents/agent-protocol-server.ts'
import { anAssignment, sh } from '../../support/builds/an-assignment.ts'
import { useAgent } from '../../support/agents/running-agent.ts'
import { TempFolder } from '../../support/disk/temp-folder.ts'
import {
  type Origin,
  copyOrigin,
  gitOrigin,
  hgOrigin,
  runTool,
  svnOrigin,
} from '../../support/builds/source-origins.ts'
import { plantPrograms, ranIn } from '../../support/git/planted-programs.ts'
import { gitLine } from '../../support/git/git.ts'
import { until } from '../../support/programs/until.ts'

const shared = useAgent()

function run(pipelineName: string, ...materials: AssignedSourceMaterial[]): Promise<SeenJob> {
  const tasks = [
    sh('find . -type f -not -path "*/.git/*" -not -path "*/.hg/*" -not -path "*/.svn/*"'),
  ]
  return shared.agent.run({ pipelineName, materials, tasks }, 25_000)
}

/** Shows the console of a job that did not pass. */
function expectPassed(job: SeenJob): void {
  expect(job.result === 'Passed' ? '' : job.text).toBe('')
}

const KINDS = [
  { kind: 'git', newOrigin: gitOrigin, control: '.git', tags: [] },
  { kind: 'hg', newOrigin: hgOrigin, control: '.hg', tags: ['hg'] },
  { kind: 'svn', newOrigin: svnOrigin, control: '.svn', tags: ['svn'] },
]

for (const { kind, newOrigin, control, tags } of KINDS) {
  describe(`a ${kind} material`, { tags }, () => {
    let origin: Origin

    beforeAll(() => {
      origin = newOrigin(shared.temp.file(kind))
    })

    it(`is checked out fresh at an old revision`, async () => {
      const job = await run(`${kind}-fresh`, origin.material(0))

      expectPassed(job)
      expect(readFileSync(shared.agent.folderOf(`${kind}-fresh`, 'a'), 'utf8')).toBe('one')
      expect(existsSync(shared.agent.folderOf(`${kind}-fresh`, 'b'))).toBe(false)
      expect(job.text).not.toContain('geheim')
    })

    it(`is updated, forwards and back, what jobs did undone`, async () => {
      const name = `${kind}-update`
      await run(name, origin.material(0))
      writeFileSync(shared.agent.folderOf(name, 'a'), 'spoilt')
      writeFileSync(shared.agent.folderOf(name, 'extra'), 'left by a job')

      const forwards = await run(name, origin.material(1))
      const two = readFileSync(shared.agent.folderOf(name, 'a'), 'utf8')
      const back = await run(name, origin.material(0))

      expect(forwards.text).toContain('Updating')
      expect(back.text).not.toContain('Checking out')
      expect(two).toBe('two')
      expect(existsSync(shared.agent.folderOf(name, 'extra'))).toBe(false)
      expect(existsSync(shared.agent.folderOf(name, 'b'))).toBe(false)
      expect(readFileSync(shared.agent.folderOf(name, 'a'), 'utf8')).toBe('one')
    })

    it(`is checked out anew when it is damaged or another one`, async () => {
      const name = `${kind}-anew`
      const material = origin.material(1)
      await run(name, material)
      rmSync(shared.agent.folderOf(name, control), { recursive: true })

      const damaged = await run(name, material)
      const moved = await run(name, { ...material, url: copyOrigin(origin) })

      expectPassed(damaged)
      expectPassed(moved)
      expect(moved.text).toContain('Checking out')
      expect(existsSync(shared.agent.folderOf(name, control))).toBe(true)
    })

    it(`that is not there fails the job with the tool’s words`, async () => {
      const material = origin.material(0)

      const job = await run(`${kind}-absent`, { ...material, url: `${origin.url}-nowhere` })

      expect(job.result).toBe('Failed')
      expect(job.states).toEqual(['Preparing', 'Completing', 'Completed'])
      expect(job.text).toMatch(new RegExp(`The job failed: ${kind} .* failed: exit code`))
    })
  })
}

describe('a svn material that a job has led elsewhere', { tags: ['svn'] }, () => {
  it('is checked out anew from its own repository, and nothing goes to the other', async () => {
    const origin = svnOrigin(shared.temp.file('led'))
    const other = svnOrigin(shared.temp.file('other'))
    const folder = shared.agent.folderOf('led', '')
    await run('led', origin.material(1))
    const id = runTool(
      shared.temp.path,
      'svn',
      'info',
      '--show-item',
      'repos-uuid',
      `${origin.url}@`,
    )
    runTool(shared.temp.path, 'svnadmin', 'setuuid', fileURLToPath(other.url), id)
    runTool(folder, 'svn', 'relocate', other.url)
    rmSync(fileURLToPath(other.url), { recursive: true })

    const job = await run('led', origin.material(1))

    expectPassed(job)
    expect(job.text).toContain('is not the same repository')
    expect(job.text).toContain('Checking out')
    expect(runTool(folder, 'svn', 'info', '--show-item', 'url')).toBe(origin.url)
  })

  it('comes back from another place in its repository', async () => {
    const origin = svnOrigin(shared.temp.file('switched'))
    const folder = shared.agent.folderOf('switched', '')
    const move = ['switch', '--ignore-ancestry', '--quiet']
    runTool(shared.temp.file('switched'), 'svn', 'mkdir', '-q', 'one', 'two')
    writeFileSync(join(shared.temp.file('switched'), 'two', 'from'), 'two')
    runTool(shared.temp.file('switched'), 'svn', 'add', '-q', 'two/from')
    runTool(shared.temp.file('switched'), 'svn', 'commit', '-q', '-m', 'change')
    const material = { ...origin.material(1), revision: '3' }
    await run('switched', material)
    runTool(folder, 'svn', ...move, `${origin.url}/two@`, 'one')
    const before = existsSync(join(folder, 'one/from'))

    const job = await run('switched', material)

    expectPassed(job)
    expect(job.text).not.toContain('Checking out')
    expect([before, existsSync(join(folder, 'one/from'))]).toEqual([true, false])
  })
})

describe('materials', () => {
  it('go to their own folders', async () => {
    const one = gitOrigin(shared.temp.file('several-one'))
    const two = gitOrigin(shared.temp.file('several-two'))
    const [first, second] = [one.material(0), two.material(1)]

    const job = await run('several', { ...first, dest: 'one' }, { ...second, dest: 'deep/two' })

    expectPassed(job)
    expect(readFileSync(shared.agent.folderOf('several', 'one/a'), 'utf8')).toBe('one')
    expect(readFileSync(shared.agent.folderOf('several', 'deep/two/a'), 'utf8')).toBe('two')
  })

  it('cannot leave the working folder', async () => {
    const origin = gitOrigin(shared.temp.file('escaping'))
    const material = origin.material(0)

    const job = await run('escaping', { ...material, dest: '../../outside' })

    expect(job.result).toBe('Failed')
    expect(existsSync(join(shared.agent.workDir, 'outside'))).toBe(false)
  })

  it('come back where a job has put links and files in the place of their folders', async () => {
    const [one, two] = [
      gitOrigin(shared.temp.file('linked-one')),
      gitOrigin(shared.temp.file('linked-two')),
    ]
    const outside = shared.temp.file('linked-outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'kept'), 'kept')
    const materials = [
      { ...one.material(0), dest: 'one' },
      { ...two.material(1), dest: 'deep/two' },
    ]
    await run('linked', ...materials)

    for (const spoil of [`ln -s ${outside} one; ln -s one deep`, 'echo x >one; echo x >deep']) {
      runTool(shared.agent.folderOf('linked'), 'sh', '-c', `rm -rf one deep; ${spoil}`)
      expectPassed(await run('linked', ...materials))
      expect(readFileSync(shared.agent.folderOf('linked', 'one/a'), 'utf8')).toBe('one')
      expect(readFileSync(shared.agent.folderOf('linked', 'deep/two/a'), 'utf8')).toBe('two')
    }
    expect(readFileSync(join(outside, 'kept'), 'utf8')).toBe('kept')
  })

  it('bring their submodules', async () => {
    const inner = gitOrigin(shared.temp.file('submodule-inner'))
    const outer = gitOrigin(shared.temp.file('submodule-outer'))
    const allow = ['-c', 'protocol.file.allow=always']
    gitLine(outer.url, ...allow, 'submodule', 'add', '-q', inner.url, 'in')
    gitLine(outer.url, 'commit', '-q', '-m', 'in')
    const revision = gitLine(outer.url, 'rev-parse', 'HEAD')
    writeFileSync(join(shared.agent.workDir, '.gitconfig'), '[protocol "file"]\n\tallow = always\n')

    const job = await run('submodule', { ...outer.material(0), revision })

    expectPassed(job)
    expect(readFileSync(shared.agent.folderOf('submodule', 'in', 'b'), 'utf8')).toBe('b')
  })

  it.each([
    ['its settings', (folder: string) => join(folder, '.git/modules/in')],
    [
      'a repository in its place',
      (folder: string) => {
        rmSync(join(folder, 'in'), { recursive: true })
        cpSync(join(folder, '.git/modules/in'), join(folder, 'in/.git'), { recursive: true })
        const settings = join(folder, 'in/.git/config')
        const text = readFileSync(settings, 'utf8')
        writeFileSync(settings, text.replace(/^.*worktree.*\n/m, ''))
        return join(folder, 'in/.git')
      },
    ],
  ])('heed nothing of a submodule that a job changed: %s', async (what, place) => {
    const name = what.replaceAll(' ', '-')
    const inner = gitOrigin(shared.temp.file(`${name}-inner`))
    const outer = gitOrigin(shared.temp.file(`${name}-outer`))
    const allow = ['-c', 'protocol.file.allow=always']
    gitLine(outer.url, ...allow, 'submodule', 'add', '-q', inner.url, 'in')
    gitLine(outer.url, 'commit', '-q', '-m', 'in')
    const revision = gitLine(outer.url, 'rev-parse', 'HEAD')
    writeFileSync(join(shared.agent.workDir, '.gitconfig'), '[protocol "file"]\n\tallow = always\n')
    const material = { ...outer.material(0), revision }
    await run(name, material)
    const marker = shared.temp.file(`${name}-ran`)
    const program = shared.temp.file(`${name}-program`)
    writeFileSync(program, `#!/bin/sh\necho ran >>'${marker}'\ncat\n`, { mode: 0o755 })
    const repository = place(shared.agent.folderOf(name, ''))
    gitLine(repository, 'config', 'filter.f.smudge', program)
    writeFileSync(join(repository, 'info/attributes'), '* filter=f\n')
    rmSync(shared.agent.folderOf(name, 'in', 'b'), { force: true })

    const job = await run(name, material)
    const again = await run(name, material)

    expectPassed(job)
    expect(ranIn(marker)).toEqual([])
    expect(readFileSync(shared.agent.folderOf(name, 'in', 'b'), 'utf8')).toBe('b')
    expect(again.text).toContain('Updating')
    expect(again.text).not.toContain('Checking out')
  })

  it('are not fetched when they are not wanted', async () => {
    const origin = gitOrigin(shared.temp.file('unwanted'))
    const job = shared.agent.server.assign(
      anAssignment({
        pipelineName: 'unwanted',
        fetchMaterials: false,
        materials: [origin.material(0)],
      }),
    )
    await until(() => job.result === 'Passed')

    expect(existsSync(shared.agent.folderOf('unwanted', 'a'))).toBe(false)
  })

  it('do not show the password in a URL', async () => {
    const origin = gitOrigin(shared.temp.file('password'))
    const material = origin.material(0)
    if (material.type !== 'git') throw new Error('not git')

    const job = await run('password', { ...material, url: 'http://u:p%40ss@127.0.0.1:9/x.git' })

    expect(job.result).toBe('Failed')
    expect(job.text).toContain('of http://127.0.0.1:9/x.git to ')
    expect(job.text).not.toMatch(/p%40ss|p@ss/)
  })
})

/** Ways to have the git of the next job run a program, or go elsewhere. */
const STEERED: Record<string, (folder: string, program: string) => void> = {
  'a command for ssh': (folder, program) => {
    gitLine(folder, 'config', 'core.sshCommand', program)
    gitLine(folder, 'remote', 'set-url', 'origin', 'ssh://127.0.0.1/x')
  },
  'another remote': (folder) => {
    gitLine(folder, 'remote', 'set-url', 'origin', gitOrigin(`${folder}-another`).url)
  },
  'a program to upload with': (folder, program) => {
    gitLine(folder, 'config', 'remote.origin.uploadpack', program)
  },
  'a filter': (folder, program) => {
    gitLine(folder, 'config', 'filter.f.smudge', program)
    writeFileSync(join(folder, '.git/info/attributes'), '* filter=f\n')
  },
  'settings of a work tree': (folder, program) => {
    gitLine(folder, 'config', 'extensions.worktreeConfig', 'true')
    gitLine(folder, 'config', '--worktree', 'remote.origin.uploadpack', program)
  },
  'a folder of git elsewhere': (folder, program) => {
    const elsewhere = `${folder}-elsewhere`
    renameSync(join(folder, '.git'), elsewhere)
    symlinkSync(elsewhere, join(folder, '.git'))
    gitLine(folder, 'config', 'remote.origin.uploadpack', program)
  },
  'a file that leads to a folder of git': (folder, program) => {
    const elsewhere = `${folder}-linked`
    renameSync(join(folder, '.git'), elsewhere)
    writeFileSync(join(folder, '.git'), `gitdir: ${elsewhere}\n`)
    gitLine(folder, 'config', 'remote.origin.uploadpack', program)
  },
  'a program that lists objects of elsewhere': (folder, program) => {
    gitLine(folder, 'config', 'core.alternateRefsCommand', program)
    writeFileSync(join(folder, '.git/objects/info/alternates'), `${folder}-none\n`)
  },
}

describe('a checkout of git', () => {
  it.each(Object.entries(STEERED))('heeds nothing of %s that a job left', async (what, steer) => {
    const name = what.replaceAll(' ', '-')
    const origin = gitOrigin(shared.temp.file(name))
    await run(name, origin.material(0))
    const marker = shared.temp.file(`${name}-ran`)
    const program = shared.temp.file(`${name}-program`)
    writeFileSync(program, `#!/bin/sh\necho ran >>'${marker}'\ncat\n`, { mode: 0o755 })
    const folder = shared.agent.folderOf(name, '')
    steer(folder, program)

    const job = await run(name, origin.material(1))
    const again = await run(name, origin.material(0))

    expectPassed(job)
    expect(ranIn(marker)).toEqual([])
    expect(gitLine(folder, 'remote', 'get-url', 'origin')).toBe(origin.url)
    expect(gitLine(folder, 'config', '--list', '--local')).not.toContain(program)
    expect(existsSync(join(folder, '.git/objects/info/alternates'))).toBe(false)
    expect(again.text).toContain('Updating')
    expect(again.text).not.toContain('Checking out')
  })

  it('runs no program that an earlier job left in the repository', async () => {
    const origin = gitOrigin(shared.temp.file('hooked'))
    await run('hooked', origin.material(0))
    const marker = shared.temp.file('ran')
    plantPrograms(shared.agent.folderOf('hooked', '.git'), marker)

    const job = await run('hooked', origin.material(1))

    expectPassed(job)
    expect(job.text).toContain('Updating')
    expect(ranIn(marker)).toEqual([])
  })
})

/** Root reads everything, so that its agents meet this only as another user. */
const AS_OTHER_USER =
  process.getuid?.() === 0
    ? ['setpriv', `--reuid=${300_000 + process.pid}`, '--clear-groups', '--no-new-privs']
    : []

describe('a copy of which a job has shut a folder', { tags: ['util-linux'] }, () => {
  it.each([
    ['of git’s settings', 'chmod 000 .git/info', {}],
    ['of objects', 'chmod 000 .git/objects', {}],
    ['beside the files', 'mkdir -p left/in && chmod 000 left', {}],
    ['as a whole', 'chmod 000 .', {}],
    ['beside the files, cleaned', 'mkdir -p left/in && chmod 000 left', { cleanWorkingDir: true }],
  ])('is made anew: %s', async (_, shut, more) => {
    await using server = await AgentProtocolServer.start()
    using place = new TempFolder()
    const origin = gitOrigin(place.file('origin'))
    const workDir = place.file('work')
    mkdirSync(workDir)
    const owner = AS_OTHER_USER[1]?.replace('--reuid=', '') ?? `${process.getuid?.()}`
    execFileSync('chown', ['-R', owner, place.path])
    const through = ['env', `HOME=${place.path}`, ...AS_OTHER_USER]
    await using other = new AgentProcess({ server: server.url, workDir, through })
    const materials = [origin.material(1)]
    const first = server.assign(anAssignment({ materials, tasks: [sh(shut)] }))
    await until(() => first.result !== null)

    const second = server.assign(anAssignment({ materials, tasks: [sh('ls')], ...more }))
    await until(() => second.result !== null)
    await other.end('SIGTERM')

    expectPassed(first)
    expectPassed(second)
    expect(second.written.slice(-2)).toEqual(['a', 'b'])
  })
})
